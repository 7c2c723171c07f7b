/** A subject for tests, by its key: `app:berth`, `service:berth/development/berth`. */
import { subjectOfKey } from '@slipway/contract/kinds.ts';
import type { Subject } from '@slipway/contract/kernel/subject.ts';

export const subjectNamed = (key: string, team?: string): Subject => {
  const subject = subjectOfKey(key);
  if (!subject) throw new Error(`${key} is no key of a subject`);
  return { ...subject, team };
};
