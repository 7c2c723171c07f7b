/** Settings of the installation over HTTP: defaults, a write, the console's runtime settings, conflicts, refused links. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { installationUpdate, installationView, type InstallationSettings } from '@slipway/contract/installation.ts';
import { runtimeConfigView, type RuntimeConfig } from '@slipway/contract/platform.ts';
import { scriptOrigins } from './installation.ts';
import { testApp, type TestApp } from '#testing/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await testApp();
});
afterAll(() => app?.close());

const survey = {
  id: 'survey-2026',
  enabled: true,
  type: 'info',
  header: 'Two minutes?',
  icon: 'survey',
  message: 'Tell us how deploying feels.',
  ctas: [{ label: 'Open the survey', url: 'https://survey.test/slipway' }],
} as const;
const settings = {
  announcements: [survey],
  company: 'Harbor AB',
  footer: { Legal: 'https://harbor.test/legal' },
  supportUrl: 'https://chat.test/slipway',
  feedbackUrl: 'https://feedback.test/?from={email}',
  portalUrl: 'https://portal.test',
} as unknown as InstallationSettings;
const put = (change: object) => app.call('administrator', installationUpdate, { body: { ...settings, revision: 1, ...change } });
const config = async () => (await app.call(undefined, runtimeConfigView)).body as RuntimeConfig;

test('answers the defaults before the first write', async () => {
  expect((await app.call('administrator', installationView)).body).toMatchObject({ revision: 0, announcements: [], updatedBy: null });
  expect(await config()).toMatchObject({ feedbackUrl: null, portalUrl: null, supportUrl: `${app.url}/docs/support/` });
});

test('refuses a first write that did not read the defaults', async () => {
  const { status, body } = await put({ revision: 3 });
  expect([status, body]).toMatchObject([409, { code: 'SettingsChangedMeanwhile' }]);
});

test('a write reaches the console of everyone, and keeps who made it', async () => {
  const { body } = await put({ revision: 0 });
  expect(body).toMatchObject({ revision: 1, company: 'Harbor AB', updatedBy: { id: 'ada' } });
  const { banners, footer, ...rest } = await config();
  expect(banners).toEqual(expect.arrayContaining([survey]));
  expect(footer.company).toBe('Harbor AB');
  expect(footer.links.slice(0, 2)).toEqual([
    { label: 'Legal', url: 'https://harbor.test/legal' },
    { label: 'Support', url: `${app.url}/docs/support/` },
  ]);
  expect(rest).toMatchObject({ supportUrl: settings.supportUrl, feedbackUrl: settings.feedbackUrl, portalUrl: settings.portalUrl });
});

test('scripts of a widget and of session analytics reach the console, and a write without them keeps them', async () => {
  const scripts = { feedbackScriptUrl: 'https://widget.test/w.js', analyticsScriptUrl: 'https://rum.test/{projectId}/tag.js?x=1' };
  expect(await config()).toMatchObject({ feedbackScriptUrl: null, analytics: null });
  await put(scripts);
  expect(await config()).toMatchObject({ feedbackScriptUrl: scripts.feedbackScriptUrl, analytics: null });
  expect(await scriptOrigins(app.database.db)).toEqual(['https://widget.test']);
  await put({ analyticsProjectId: 'pier 7', revision: 2 });
  const analytics = { scriptUrl: 'https://rum.test/pier%207/tag.js?x=1', projectId: 'pier 7' };
  expect(await config()).toMatchObject({ feedbackScriptUrl: scripts.feedbackScriptUrl, analytics });
  expect(await scriptOrigins(app.database.db)).toEqual(['https://widget.test', 'https://rum.test']);
});

test('a hidden announcement is not sent to the console', async () => {
  expect((await put({ announcements: [{ ...survey, enabled: false }], revision: 3 })).status).toBe(200);
  expect((await config()).banners.map(({ id }) => id)).not.toContain(survey.id);
});

test('of two writes of the same revision one is refused', async () => {
  const statuses = (await Promise.all([put({ revision: 4 }), put({ revision: 4 })])).map(({ status }) => status);
  expect(statuses.toSorted()).toEqual([200, 409]);
});

test('settings that this version cannot read are replaced by the defaults', async () => {
  await app.database.db
    .updateTable('installation_setting')
    .set({ settings: JSON.stringify({ company: 7 }) })
    .execute();
  expect((await config()).feedbackUrl).toBeNull();
});

test.each([
  ['supportUrl', { supportUrl: 'javascript:alert(1)' }, 'LinkInvalid'],
  ['feedbackUrl', { feedbackUrl: 'mailto:crew@harbor.test' }, 'LinkInvalid'],
  ['feedbackScriptUrl', { feedbackScriptUrl: 'https://a;script-src/x.js' }, 'LinkInvalid'],
  ['analyticsScriptUrl', { analyticsScriptUrl: 'https://rum.test:99999/x.js' }, 'LinkInvalid'],
  ['analyticsProjectId', { analyticsProjectId: 'x'.repeat(101) }, 'ExceedsMaximumLength'],
  ['portalUrl', { portalUrl: 'https://crew:secret@portal.test' }, 'LinkInvalid'],
  ['footer.Legal', { footer: { Legal: 'data:text/html,x' } }, 'LinkInvalid'],
  ['announcements.0.ctas.0.url', { announcements: [{ ...survey, ctas: [{ label: 'Go', url: 'javascript:0' }] }] }, 'LinkInvalid'],
  ['announcements', { announcements: [survey, survey] }, 'InvalidValue'],
  ['announcements', { announcements: Array.from({ length: 6 }, (_, index) => ({ ...survey, id: `banner-${index}` })) }, 'Maximum'],
  ['company', { company: ' ' }, 'Required'],
])('refuses %s', async (field, change, code) => {
  const { status, body } = await put(change);
  expect([status, body]).toMatchObject([400, { errors: [{ field, code }] }]);
});
