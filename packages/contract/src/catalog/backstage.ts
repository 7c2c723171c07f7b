/** Active entries as entities of a Backstage catalog. */
import * as z from 'zod/mini';
import { route } from '../kernel/kernel.ts';
import { catalogPath, catalogTag as tag } from './entry.ts';

export const BackstageEntity = z.object({
  apiVersion: z.literal('backstage.io/v1alpha1'),
  kind: z.enum(['Domain', 'System', 'Component', 'Group', 'User']),
  metadata: z.object({
    namespace: z.literal('default'),
    name: z.string(),
    title: z.string(),
    description: z.optional(z.string()),
    annotations: z.record(z.string(), z.string()),
    tags: z.optional(z.array(z.string())),
    links: z.optional(z.array(z.object({ url: z.string(), title: z.string() }))),
  }),
  spec: z.record(z.string(), z.unknown()),
});
export type BackstageEntity = z.infer<typeof BackstageEntity>;

export const catalogBackstageList = route({
  id: 'catalogBackstageList',
  method: 'GET',
  path: `${catalogPath}/backstage`,
  summary: 'Active entries as Backstage entities, with their owners as users and groups',
  description:
    'Portfolios are domains, platforms systems, applications and products components. With `Accept: application/yaml` the answer is one catalog-info file with all entries.',
  tag,
  access: 'signedIn',
  query: z.object({
    /** Entries of a page. Users and groups come in addition. */
    size: z._default(z.coerce.number().check(z.int(), z.minimum(1), z.maximum(500)), 200),
    /** The `next` of the page before. */
    after: z.optional(z.string().check(z.maxLength(40))),
  }),
  response: z.object({ items: z.array(BackstageEntity), next: z.nullable(z.string()) }),
  alsoAs: ['application/yaml'],
  codes: ['InvalidValue', 'Minimum', 'Maximum', 'NotANumber', 'NotAnInteger', 'ExceedsMaximumLength'],
});
