"""Run a benchmark: ``python -m bench core``."""

from bench.main import main

if __name__ == "__main__":
    main()
