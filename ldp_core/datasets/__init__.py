"""Data sets, split into training and held-out test samples."""

from ldp_core.datasets._brought import IMAGES, Look, Pictures, TableFile, give
from ldp_core.datasets._data_card import Card, Scale, Seen
from ldp_core.datasets.base import Data, Dataset, Report, Step, quiet
from ldp_core.datasets.folders import BROUGHT, Sources
from ldp_core.system.data_folder import APP, data_dir

registry = Sources(__name__, Dataset, "the data set's name")
names = registry.names
get = registry.get
