"""Data sets, split into training and held-out test samples."""

from ldp_core.datasets._table import Card, Scale, TableFile
from ldp_core.datasets.base import Data, Dataset, Report, Step, quiet
from ldp_core.datasets.folders import Sources
from ldp_core.system.data_folder import APP, data_dir

registry = Sources(__name__, Dataset, "the data set's name")
names = registry.names
get = registry.get
