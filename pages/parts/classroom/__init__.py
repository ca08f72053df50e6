"""Parts of the page Class: entrance, wall, the teacher's bar, a student's screen."""
