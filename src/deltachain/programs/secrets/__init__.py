"""The secrets of a program: values as chains record them, domains, rules that relate them, and pairs that are alike."""
