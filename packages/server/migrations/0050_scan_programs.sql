-- The built-in scanner reports programs that no package lists, which its earlier results left out. Each image is scanned once more, after
-- everything that somebody waits for. Results of an outside scanner stay: they are renewed by themselves.
update image_scan set state = 'QUEUED', since = now(), due_at = now(), turn = 2, tries = 0, reason = null
where state = 'COMPLETED' and renew_at is null;
