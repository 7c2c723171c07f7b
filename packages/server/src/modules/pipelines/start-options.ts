/** What a caller says when it starts a pipeline. */
import type { Subject } from '@slipway/contract/kernel/subject.ts';
import type { Person } from './definition.ts';

export interface StartOptions<I> {
  /** JSON, no secrets: it is stored and may be shown. */
  readonly input: I;
  /** What it is about: its page, its lists, its hints and whose it is follow from it. */
  readonly subject: Subject;
  /** At most one run at a time works on this; the subject itself, unless said. A revision's runs take turns with its service's. */
  readonly lock?: Subject;
  readonly createdBy: Person;
  /** person, push, image, settings, rollback or platform. */
  readonly trigger: string;
  readonly facts?: Record<string, string>;
}

export interface Started {
  readonly pipelineId: string;
  readonly runId: string;
}

/** Who asks by hand, and who by a program with an API token. */
export const triggerBy = ({ origin }: { readonly origin: string }): 'person' | 'token' => (origin === 'token' ? 'token' : 'person');
