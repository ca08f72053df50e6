"""A class: the way in, the teacher's board, a student's phone, what students try."""
