/**
 * IncrementalAlterConfigs, and AlterConfigs, which resets configs that it does not name. Only configs of topics can be changed, not those
 * of the node.
 */
import type { Caller } from '../parts.ts';
import { operations } from '../parts.ts';
import type { Request } from '../protocol/apis.ts';
import { errors } from '../protocol/errors.ts';
import { handler } from '../protocol/handler.ts';
import { configDefault, configProblem, isList, listOf, topicConfigs, type Configs } from '../topics/topic-configs.ts';
import { mayCluster, mayTopic, type HandlerContext } from './context.ts';
import { configResources } from './describe-configs.ts';
import { done, outcomeOf, refuse, repeated, type Outcome } from './outcome.ts';

type Incremental = Request<'IncrementalAlterConfigs'>['resources'][number];
type Change = Incremental['configs'][number];
interface Resource {
  readonly resourceType: number;
  readonly resourceName: string;
}

const SET = 0;
const DELETE = 1;
const APPEND = 2;
const SUBTRACT = 3;

/** Returns the new configs, or a problem. */
type Wanted = (before: Configs) => { readonly configs: Configs } | { readonly problem: string };

const without = (configs: Configs, name: string): Configs => Object.fromEntries(Object.entries(configs).filter(([key]) => key !== name));

const applyChange = (before: Configs, { name, configOperation, value }: Change): { configs: Configs } | { problem: string } => {
  if (configOperation === DELETE) {
    if (!Object.hasOwn(topicConfigs, name)) return { problem: `Unknown topic config name: ${name}` };
    return { configs: without(before, name) };
  }
  const problem = configProblem(name, value);
  if (problem !== undefined || value === null) return { problem: problem ?? '' };
  if (configOperation === SET) return { configs: { ...before, [name]: value } };
  if (configOperation !== APPEND && configOperation !== SUBTRACT) return { problem: `Unknown operation type ${configOperation}` };
  if (!isList(name)) return { problem: `Config value append and subtract are not allowed for config: ${name}` };
  const now = listOf(before[name] ?? configDefault(name));
  const given = listOf(value);
  const then = configOperation === APPEND ? [...new Set([...now, ...given])] : now.filter((one) => !given.includes(one));
  return { configs: { ...before, [name]: then.join(',') } };
};

const incrementally =
  (changes: readonly Change[]): Wanted =>
  (before) => {
    const [twice] = repeated(changes.map(({ name }) => name));
    if (twice !== undefined) return { problem: `Error due to duplicate config keys: ${twice}` };
    let configs = before;
    for (const change of changes) {
      const result = applyChange(configs, change);
      if ('problem' in result) return result;
      ({ configs } = result);
    }
    return { configs };
  };

const wholly =
  (configs: Request<'AlterConfigs'>['resources'][number]['configs']): Wanted =>
  () => {
    const problem = configs.map(({ name, value }) => configProblem(name, value)).find((one) => one !== undefined);
    if (problem !== undefined) return { problem };
    return { configs: Object.fromEntries(configs.flatMap(({ name, value }) => (value === null ? [] : [[name, value]]))) };
  };

const alter = async (
  context: HandlerContext,
  { resourceType, resourceName }: Resource,
  wanted: Wanted,
  caller: Caller,
  validateOnly: boolean,
): Promise<Outcome> => {
  if (resourceType !== configResources.topic) {
    if (!mayCluster(context, caller, operations.alterConfigs))
      return refuse(errors.CLUSTER_AUTHORIZATION_FAILED, 'Cluster authorization failed.');
    return refuse(errors.INVALID_REQUEST, 'Only configs of topics can be changed here.');
  }
  if (!mayTopic(context, caller, operations.alterConfigs, resourceName))
    return refuse(errors.TOPIC_AUTHORIZATION_FAILED, 'Authorization failed.');
  const topic = context.topics.get(resourceName);
  if (topic === undefined) return refuse(errors.UNKNOWN_TOPIC_OR_PARTITION, `The topic '${resourceName}' does not exist.`);
  const result = wanted(topic.row.configs);
  if ('problem' in result) return refuse(errors.INVALID_CONFIG, result.problem);
  if (!validateOnly) await context.topics.change(topic, { configs: result.configs });
  return done;
};

interface Asked extends Resource {
  readonly wanted: Wanted;
}
const alterAll = (context: HandlerContext, resources: readonly Asked[], caller: Caller, validateOnly: boolean) =>
  context.topics.inTurn(async () => {
    const keyOf = ({ resourceType, resourceName }: Resource): string => `${resourceType} ${resourceName}`;
    const twice = repeated(resources.map(keyOf));
    const responses: (Outcome & Resource)[] = [];
    for (const resource of resources) {
      const { resourceType, resourceName, wanted } = resource;
      const outcome = await (twice.has(keyOf(resource))
        ? refuse(errors.INVALID_REQUEST, 'Each resource must appear at most once.')
        : outcomeOf(
            () => alter(context, resource, wanted, caller, validateOnly),
            (error) => context.log('error', 'configs could not be changed', { topic: resourceName, error: String(error) }),
          ));
      responses.push({ ...outcome, resourceType, resourceName });
    }
    return { responses };
  });

export const incrementalAlterConfigsHandler = (context: HandlerContext) =>
  handler({
    api: 'IncrementalAlterConfigs',
    versions: [0, 1],
    handle: ({ resources, validateOnly }, caller) =>
      alterAll(
        context,
        resources.map((resource) => ({ ...resource, wanted: incrementally(resource.configs) })),
        caller,
        validateOnly,
      ),
  });

export const alterConfigsHandler = (context: HandlerContext) =>
  handler({
    api: 'AlterConfigs',
    versions: [0, 2],
    handle: ({ resources, validateOnly }, caller) =>
      alterAll(
        context,
        resources.map((resource) => ({ ...resource, wanted: wholly(resource.configs) })),
        caller,
        validateOnly,
      ),
  });
