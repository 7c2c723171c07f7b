/** Drift of a schema's own subject in the registry, and its repair. Subjects of topics are in topic-status.ts. */
import * as z from 'zod/mini';
import { driftOf } from '../kernel/drift.ts';
import { route } from '../kernel/kernel.ts';
import { startsRun } from '../pipeline/plan.ts';
import { schemaOne, schemaOneCodes } from './schema.ts';
import { TopicDifference } from './topic-status.ts';

/** SUBJECT differences concern the newest version, LEVEL differences the compatibility level for new versions. */
export const SchemaDrift = driftOf(TopicDifference);
export type SchemaDrift = z.infer<typeof SchemaDrift>;

const tag = 'Schemas';
const path = `${schemaOne}/drift` as const;
export const schemaDriftView = route('schemaDriftView', `GET ${path}`, {
  summary: "Where the registry differs from what is wanted of the schema's own subject; compared anew when that is older than a minute",
  tag,
  access: 'signedIn',
  response: SchemaDrift,
  codes: schemaOneCodes,
});
export const schemaReconcile = route('schemaReconcile', `POST ${path}`, {
  ...startsRun,
  summary: "Put the newest version and the level of the schema's own subject back into the registry",
  tag,
  access: 'appMember',
  codes: [
    ...schemaOneCodes,
    'NotAMember',
    'InvalidValue',
    'SchemaNotCreated',
    'StreamingPipelineRunning',
    'NothingToReconcile',
    'WorkflowExecutionAlreadyStarted',
  ],
});
