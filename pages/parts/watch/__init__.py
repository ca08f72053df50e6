"""View of a training job: headline with three figures, three panels (`trio`), details (`more`)."""
