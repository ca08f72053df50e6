// In a narrow window the pages are in a menu that lies over them. Streamlit closes it after a choice on what
// calls itself a phone; the window may as well be that of a laptop, or of a tablet that calls itself one.
if (!document.closesMenu) {
  document.closesMenu = true; // once, however many versions of this file are loaded
  document.addEventListener("click", (event) => {
    if (!event.target.closest?.('[data-testid="stSidebarNavLink"]')) return;
    setTimeout(() => {
      const menu = document.querySelector('[data-testid="stSidebar"][data-collapsed="false"]');
      menu?.querySelector('[data-testid="stSidebarCollapseButton"] button')?.click();
    });
  });
}
