/** Settings of an installation that administrators change in the console: announcements, and the links of the shell. */
import * as z from 'zod/mini';
import { Instant } from './kernel/fields.ts';
import { route } from './kernel/kernel.ts';
import { bannerTypes } from './platform.ts';

const text = (max: number) =>
  z
    .string({ error: 'Required' })
    .check(z.trim(), z.minLength(1, { error: 'Required', abort: true }), z.maxLength(max, { error: 'ExceedsMaximumLength' }));
/** http, https or mailto. Anything else, such as `javascript:`, must not become a link. */
const address = z
  .string()
  .check(
    z.trim(),
    z.maxLength(2000, { error: 'ExceedsMaximumLength' }),
    z.regex(/^(https?:\/\/[^\s\\/?#@]+(?:[/?#]\S*)?|mailto:[^\s@]+@[^\s@]+)$/i, { error: 'LinkInvalid' }),
  );
const webAddress = z
  .string()
  .check(
    z.trim(),
    z.maxLength(2000, { error: 'ExceedsMaximumLength' }),
    z.regex(/^https?:\/\/[^\s\\/?#@]+(?:[/?#]\S*)?$/i, { error: 'LinkInvalid' }),
  );

/** Address of a script. Its origin is added to the content security policy, where other characters could end the directive. */
const scriptAddress = webAddress.check(
  z.regex(/^https?:\/\/[a-z0-9][\w.-]*(?::\d{1,4}|:[1-5]\d{4})?(?:[/?#]|$)/i, { error: 'LinkInvalid' }),
);

/** True for text that the settings accept as a link. */
export const isLink = (value: string): boolean => z.safeParse(address, value).success;

export const footerLabels = ['Legal', 'Support', 'Contact', 'GitHub', 'Request a feature', 'Release Notes', 'Roadmap'] as const;
export const maxAnnouncements = 5;

/** An announcement is shown to everyone until they close it. A new id shows it again. */
export const Announcement = z.object({
  id: z.string().check(z.regex(/^[a-z0-9][a-z0-9-]{0,39}$/, { error: 'DoesNotMatchPattern' })),
  enabled: z.boolean(),
  type: z.enum(bannerTypes),
  header: text(80),
  icon: z.nullable(z.enum(['megaphone', 'survey', 'wrench', 'maintenance'])),
  message: text(500),
  ctas: z.array(z.object({ label: text(40), url: webAddress })).check(z.maxLength(2, { error: 'Maximum' })),
});
export type Announcement = z.infer<typeof Announcement>;

const isUnique = (values: readonly string[]): boolean => new Set(values).size === values.length;

export const InstallationSettings = z.object({
  announcements: z.array(Announcement).check(
    z.maxLength(maxAnnouncements, { error: 'Maximum' }),
    z.refine((all) => isUnique(all.map(({ id }) => id)), { error: 'InvalidValue' }),
  ),
  /** Name in the copyright line. */
  company: text(80),
  /** Address for each label. A label without an address leads to the page of the guide. */
  footer: z.partialRecord(z.enum(footerLabels), address),
  /** Opened by Contact Support. Null opens the page of the guide. */
  supportUrl: z.nullable(address),
  /** Opened by Leave feedback. `{email}` is replaced by the user's e-mail address. Null hides the button. */
  feedbackUrl: z.nullable(webAddress),
  /** Script of a feedback widget, which gets the user's e-mail address. Leave feedback opens the widget instead of a page. */
  feedbackScriptUrl: z.optional(z.nullable(scriptAddress)),
  /** Script of a session analytics tool. `{projectId}` is replaced by the project's id. It starts if there is an id too. */
  analyticsScriptUrl: z.optional(z.nullable(scriptAddress)),
  analyticsProjectId: z.optional(z.nullable(text(100))),
  /** Host of the company portal, which has a page `/application/{id}` for each app. Null hides the link. */
  portalUrl: z.nullable(webAddress),
});
export type InstallationSettings = z.infer<typeof InstallationSettings>;

const Revision = { revision: z.int({ error: 'Required' }) };
export const Installation = z.object({
  ...InstallationSettings.shape,
  ...Revision,
  updatedAt: z.nullable(Instant),
  updatedBy: z.nullable(z.object({ id: z.string(), displayName: z.string() })),
});
export type Installation = z.infer<typeof Installation>;

const shared = { path: '/api/v1/platform/settings', tag: 'Platform', access: 'administrator', response: Installation } as const;
export const installationView = route({
  id: 'installationView',
  method: 'GET',
  ...shared,
  summary: 'Announcements and links of this installation',
  codes: ['NotAnAdministrator'],
});
export const installationUpdate = route({
  id: 'installationUpdate',
  method: 'PUT',
  ...shared,
  summary: 'Replace the announcements and links. `revision` is the one that was read',
  body: z.object({ ...InstallationSettings.shape, ...Revision }),
  codes: [
    'NotAnAdministrator',
    'SettingsChangedMeanwhile',
    'Required',
    'ExceedsMaximumLength',
    'Maximum',
    'InvalidValue',
    'DoesNotMatchPattern',
    'NotAnInteger',
    'LinkInvalid',
  ],
});
