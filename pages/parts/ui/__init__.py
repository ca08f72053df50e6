"""What every page is made of: the draft (`workspace`, where links are opened too), fields bound to it, text,
tables, the visitor, the header.
"""
