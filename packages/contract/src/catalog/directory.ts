/** People, authority and approvers of the catalog; its labels and options. */
import * as z from 'zod/mini';
import { routesIn } from '../kernel/kernel.ts';
import { catalogPath, CatalogPerson, catalogTag, formCodes, LabelRef } from './entry.ts';

const route = routesIn({ tag: catalogTag, access: 'signedIn' });
export const catalogUserSearch = route('catalogUserSearch', `GET ${catalogPath}/users`, {
  summary: 'Find people by name, e-mail or employee id; at least three characters',
  query: z.object({
    search: z
      .string({ error: 'Required' })
      .check(z.trim(), z.minLength(3, { error: 'SearchTooShort' }), z.maxLength(100, { error: 'ExceedsMaximumLength' })),
  }),
  response: z.object({
    users: z.array(
      z.object({
        id: z.string(),
        name: z.string(),
        email: z.nullable(z.string()),
        employeeId: z.nullable(z.string()),
        active: z.boolean(),
      }),
    ),
  }),
  codes: ['Required', 'SearchTooShort', 'ExceedsMaximumLength'],
});
export const authorities = ['CATALOGUE_USER', 'CATALOGUE_APPROVER', 'PLATFORM_ADMINISTRATOR'] as const;
export const catalogAuthorityView = route('catalogAuthorityView', `GET ${catalogPath}/users/authority`, {
  summary: 'What the caller may do in the catalog',
  response: z.object({ username: z.string(), authorities: z.array(z.enum(authorities)) }),
  codes: [],
});
const approvers = `${catalogPath}/approvers` as const;
export const catalogApproverList = route('catalogApproverList', `GET ${approvers}`, {
  summary: 'Approvers. Administrators may approve, too',
  response: z.array(CatalogPerson),
  codes: [],
});
export const catalogApproversSet = route('catalogApproversSet', `PUT ${approvers}`, {
  summary: 'Replace the list of approvers',
  access: 'administrator',
  response: z.array(CatalogPerson),
  body: z.object({ approvers: z.array(z.string(), { error: 'Required' }).check(z.maxLength(200, { error: 'Maximum' })) }),
  codes: [...formCodes, 'NotAnAdministrator', 'OwnerNotInDirectory'],
});

export const CatalogLabel = z.extend(LabelRef, { archived: z.boolean() });
const labelFields = {
  name: z
    .string({ error: 'Required' })
    .check(
      z.trim(),
      z.minLength(1, { error: 'Required', abort: true }),
      z.minLength(2, { error: 'MinimumLength' }),
      z.maxLength(40, { error: 'ExceedsMaximumLength' }),
      z.regex(/^[a-z0-9]+(-[a-z0-9]+)*$/i, { error: 'KebabCase' }),
    ),
  description: z._default(z.string().check(z.trim(), z.maxLength(200, { error: 'ExceedsMaximumLength' })), ''),
  /** At most ten pairs of text. */
  properties: z._default(
    z
      .record(z.string().check(z.maxLength(40)), z.string().check(z.maxLength(200, { error: 'ExceedsMaximumLength' })))
      .check(z.refine((pairs) => Object.keys(pairs).length <= 10, { error: 'Maximum' })),
    {},
  ),
};
const labels = `${catalogPath}/labels` as const;
export const catalogLabelList = route('catalogLabelList', `GET ${labels}`, {
  summary: 'All labels, by name',
  response: z.array(CatalogLabel),
  codes: [],
});
export const catalogLabelCreate = route('catalogLabelCreate', `POST ${labels}`, {
  summary: 'Create a label',
  body: z.object(labelFields),
  response: CatalogLabel,
  status: 201,
  codes: [...formCodes, 'KebabCase', 'LabelAlreadyExists', 'NotCatalogueApprover'],
});
export const catalogLabelUpdate = route('catalogLabelUpdate', `PATCH ${labels}/{labelId}`, {
  summary: 'Change or archive a label',
  body: z.object({
    name: z.optional(labelFields.name),
    description: z.optional(labelFields.description.def.innerType),
    properties: z.optional(labelFields.properties.def.innerType),
    /** Archived labels stay on their entries but cannot be added. */
    archived: z.optional(z.boolean()),
  }),
  response: CatalogLabel,
  codes: [...formCodes, 'KebabCase', 'LabelDoesNotExist', 'LabelAlreadyExists', 'NotCatalogueApprover'],
});

export const optionLists = ['strategicIntents', 'mipLayers', 'informationClassifications', 'criticalityCategories'] as const;
export type OptionList = (typeof optionLists)[number];
const Option = z.object({ id: z.string(), name: z.string() });
export const CatalogOptions = z.object({
  strategicIntents: z.array(Option),
  mipLayers: z.array(Option),
  informationClassifications: z.array(Option),
  criticalityCategories: z.array(Option),
});
export type CatalogOptions = z.infer<typeof CatalogOptions>;
export const catalogOptionsView = route('catalogOptionsView', `GET ${catalogPath}/applications/options`, {
  summary: 'Values for the choices of an application',
  response: CatalogOptions,
  codes: [],
});
export const catalogOptionUses = route('catalogOptionUses', `GET ${catalogPath}/options`, {
  summary: 'The values of each list with the number of entries that use them',
  access: 'administrator',
  response: z.record(z.string(), z.array(z.extend(Option, { uses: z.number() }))),
  codes: ['NotAnAdministrator'],
});
export const catalogOptionsSet = route('catalogOptionsSet', `PUT ${catalogPath}/options/{list}`, {
  summary: 'Replace one list of options, in their order',
  access: 'administrator',
  body: z.object({
    options: z
      .array(
        z.object({
          id: z.string().check(z.regex(/^[a-zA-Z0-9-]{1,60}$/, { error: 'DoesNotMatchPattern' })),
          name: z.string().check(z.trim(), z.minLength(1, { error: 'Required' }), z.maxLength(60, { error: 'ExceedsMaximumLength' })),
        }),
        { error: 'Required' },
      )
      .check(z.minLength(1, { error: 'Required' }), z.maxLength(30, { error: 'Maximum' })),
  }),
  response: CatalogOptions,
  codes: [...formCodes, 'NotAnAdministrator', 'OptionInUse'],
});
