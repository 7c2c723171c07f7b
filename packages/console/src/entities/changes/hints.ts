/** Which cached answers a live change makes old. */
import type { ChangeHint } from '@slipway/contract/platform.ts';
import type { QueryKey } from '#kit/api/query.ts';

/** Route ids by the kind of change: a list of apps shows health, so an instance's change reaches it too. */
const concerned: Record<ChangeHint['kind'], RegExp> = {
  team: /^(team|me|identit|application)/,
  app: /^(application|service|me|teamView|teamList|catalogue)/,
  service: /^(service|revision|application|repositor)/,
  revision: /^(revision|service|application)/,
  instance: /^(revision|service|applicationSummary)/,
  pipeline: /^(pipeline|servicePipeline|quickstartPipeline|service|application|team)/,
  activity: /Activity/,
  secretGroup: /^(secret|serviceSecret)/,
};

const isQueryKey = (key: unknown): key is QueryKey => Array.isArray(key) && key.length === 3 && typeof key[0] === 'string';

const scopes = ['team', 'app', 'env', 'service', 'revision', 'pipelineId'] as const;

/** A key is left alone only where both name the same kind of thing and the names differ. */
export const isConcerned = (key: unknown, hint: ChangeHint): boolean => {
  if (!isQueryKey(key)) return false;
  const [id, params] = key;
  if (!concerned[hint.kind].test(id)) return false;
  return scopes.every((scope) => hint[scope] === undefined || params[scope] === undefined || params[scope] === hint[scope]);
};
