"""The drawings of turns, as SVG in the colours of the text around it: phases, conversations."""
