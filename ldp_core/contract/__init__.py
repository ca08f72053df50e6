"""What a part promises, by kind, as checks that anybody can run over one: `epsilon-studio check PART`."""
