"""The language of programs: text, values, what can be drawn, and the graph that a program is compiled to."""
