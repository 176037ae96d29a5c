"""Who plays whom and what the results mean: league definitions (TOML), schedules, ratings."""
