"""What is done now and then to keep a workspace: copies, and the deletion of old runs."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from explorer.workspace.opened import Opened

if TYPE_CHECKING:
    from explorer.record.purging import Purged


class Maintenance(Opened):
    """Backups, and the deletion of old runs."""

    def purge(
        self,
        older_than: str | timedelta,
        *,
        keep_reviewed: bool = False,
        dry_run: bool = False,
        progress: bool = True,
    ) -> Purged:
        """Delete all runs that began longer ago than "90d" (or hours h, weeks w, years y), as `traces.delete` does.

        Reviewed ones, with a verdict, stay where `keep_reviewed`. With `dry_run` nothing is deleted. Raises RecordError
        for what is no length of time, WorkspaceError when read-only.
        """
        from explorer.record.purging import purge

        if not dry_run:
            self._check_writable()
        self.stores.refresh()
        return purge(self.traces, older_than, keep_reviewed=keep_reviewed, dry=dry_run, progress=progress)

    def backup(self, path: str | Path) -> Path:
        """Copy all of it as it is now into a new folder, which is a workspace of its own; returns that folder.

        Others may go on to read and write, in this process and in another. Raises WorkspaceError.
        """
        from explorer.stores.backup import back_up

        self.stores.refresh()
        back_up(self.stores, Path(path), self._collection)
        return Path(path)
