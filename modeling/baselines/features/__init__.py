"""What the classifiers with features see of a pair: names of features that it has, and measures of it."""
