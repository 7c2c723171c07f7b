-- Backups of more than 256 MB were not checked by a restore. Those that are still there wait for it now.
update database_backup set check_state = 'PENDING' where state = 'COMPLETED' and check_state = 'SKIPPED';
