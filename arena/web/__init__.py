"""Show the league as web pages.

Figures as plain data (`figures`), one self-contained file of them (`page`), the same pages served
while a league runs (`server`), and a person at a table (`lobby`, `live_table`).

What a page shows is data: every text of a stranger reaches the browser as JSON and is
put on the page as text.
"""
