"""Parts of the page Class: entrance, the teacher's board, a student's screen, own runs."""
