-- The built-in scanner reports what it cannot read as notes: its earlier results may say "nothing found" about such an image. Each image is
-- scanned once more, after everything that somebody waits for. An outside scanner's results, which are renewed by themselves, stay.
update image_scan set state = 'QUEUED', since = now(), due_at = now(), turn = 2, tries = 0, reason = null
where state = 'COMPLETED' and renew_at is null;
