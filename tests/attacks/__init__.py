"""Functions that try to be proved private without being so, written without a look into `deltachain.code`."""
