def paths(case): pass
