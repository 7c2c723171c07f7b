/**
 * Checks for names that others already use on the cluster or in the registry, and reports them at the field before anything is created. An
 * engine that does not answer quickly is ignored: the pipeline checks again, also for names taken meanwhile.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { FieldError } from '@slipway/contract/kernel/errors.ts';
import { physicalName } from '@slipway/contract/streaming/streaming.ts';
import type { Db } from '#db/database.ts';
import { mapLimited } from '#kernel/map-limited.ts';
import { isPortFailure } from '#ports/failure.ts';
import type { SchemaRegistry } from '#ports/schema-registry.ts';
import type { Streaming } from '#ports/streaming.ts';
import type { Place } from './names.ts';
import { subjectOfPart } from './schemas/schema-rows.ts';

interface NameDeps {
  readonly db: Db;
  readonly streaming: Streaming;
  readonly registry: SchemaRegistry;
}

const ANSWER_MS = 1500;
const atOnce = async <T>(asked: () => Promise<T>): Promise<T | undefined> => {
  const answer = asked().catch((error: unknown) => {
    if (isPortFailure(error)) return undefined;
    throw error;
  });
  return Promise.race([answer, delay(ANSWER_MS, undefined, { ref: false })]);
};

/** Does not start the embedded cluster for this check if it has no topic yet. */
const hasTopic = async ({ db, streaming }: NameDeps, { environment }: Place, topic: string): Promise<boolean> => {
  const isAsked = streaming.kind !== 'embedded' || (await db.selectFrom('topic').select('id').limit(1).executeTakeFirst()) !== undefined;
  return isAsked && (await atOnce(() => streaming.observeTopics(environment, [topic])))?.has(topic) === true;
};
const heldSubject = async ({ registry }: NameDeps, { environment }: Place, subjects: readonly string[]): Promise<string | undefined> => {
  const versions = await mapLimited(subjects, (subject) => atOnce(() => registry.versions(environment, subject)));
  return subjects.find((_, index) => (versions[index] ?? []).length > 0);
};
const ofSubject = (subject: string | undefined): FieldError[] =>
  subject === undefined ? [] : [{ field: 'name', code: 'SubjectBelongsToOthers', context: { subject } }];

/** Skips names with a row: they are rejected as taken, or already belong to the caller. */
export const schemaOfOthers = async (deps: NameDeps, place: Place, name: string): Promise<FieldError[]> => {
  const subject = physicalName(place.app, name);
  const rows = deps.db.selectFrom('event_schema').select('id').where('environment', '=', place.environment);
  if (await rows.where('subject', '=', subject).executeTakeFirst()) return [];
  return ofSubject(await heldSubject(deps, place, [subject]));
};
export const topicOfOthers = async (deps: NameDeps, place: Place, name: string, hasKey: boolean): Promise<FieldError[]> => {
  const topic = physicalName(place.app, name);
  const rows = deps.db.selectFrom('topic').select('id').where('environment', '=', place.environment);
  if (await rows.where('topic_name', '=', topic).executeTakeFirst()) return [];
  const parts = hasKey ? (['key', 'value'] as const) : (['value'] as const);
  const [isHeld, subject] = await Promise.all([
    hasTopic(deps, place, topic),
    heldSubject(
      deps,
      place,
      parts.map((part) => subjectOfPart(topic, part)),
    ),
  ]);
  return isHeld ? [{ field: 'name', code: 'TopicBelongsToOthers', context: { topic } }] : ofSubject(subject);
};
