/** The links of the shell: footer, support, feedback, and the company portal. */
import { footerLabels, InstallationSettings, isLink, type Installation } from '@slipway/contract/installation.ts';
import { Button } from '@slipway/ui/form/Button.tsx';
import * as z from 'zod/mini';
import { Form } from '#kit/form/Form.tsx';
import { TextField } from '#kit/form/TextField.tsx';
import { useApiForm } from '#kit/form/use-api-form.ts';

/** An empty field means the default. */
const link = z.string().check(
  z.trim(),
  z.refine((value) => value === '' || isLink(value), { error: 'LinkInvalid' }),
);
const schema = z.object({
  company: InstallationSettings.shape.company,
  supportUrl: link,
  feedbackUrl: link,
  feedbackScriptUrl: link,
  analyticsScriptUrl: link,
  analyticsProjectId: z.string().check(z.trim(), z.maxLength(100, { error: 'ExceedsMaximumLength' })),
  portalUrl: link,
  footer: z.record(z.string(), link),
});
const labels = {
  company: 'Company',
  supportUrl: 'Contact Support',
  feedbackUrl: 'Leave feedback',
  feedbackScriptUrl: 'Script of the feedback widget',
  analyticsScriptUrl: 'Script of the session analytics tool',
  analyticsProjectId: 'Project id of the session analytics tool',
  portalUrl: 'Company portal',
  ...Object.fromEntries(footerLabels.map((label) => [`footer.${label}`, label])),
};

/** Saves what changed, with the rest of the settings. */
export type Save = (change: Partial<Omit<Installation, 'revision' | 'updatedAt' | 'updatedBy'>>) => Promise<void>;

export function LinksForm({ current, save }: { current: Installation; save: Save }) {
  const form = useApiForm({
    schema,
    defaultValues: {
      company: current.company,
      supportUrl: current.supportUrl ?? '',
      feedbackUrl: current.feedbackUrl ?? '',
      feedbackScriptUrl: current.feedbackScriptUrl ?? '',
      analyticsScriptUrl: current.analyticsScriptUrl ?? '',
      analyticsProjectId: current.analyticsProjectId ?? '',
      portalUrl: current.portalUrl ?? '',
      footer: Object.fromEntries(footerLabels.map((label) => [label, current.footer[label] ?? ''])) as Record<string, string>,
    },
    labels,
    onSubmit: ({ company, footer, ...optional }) =>
      save({
        company,
        supportUrl: optional.supportUrl || null,
        feedbackUrl: optional.feedbackUrl || null,
        feedbackScriptUrl: optional.feedbackScriptUrl || null,
        analyticsScriptUrl: optional.analyticsScriptUrl || null,
        analyticsProjectId: optional.analyticsProjectId || null,
        portalUrl: optional.portalUrl || null,
        footer: Object.fromEntries(Object.entries(footer).filter(([, url]) => url !== '')),
      }),
  });
  return (
    <Form form={form} label="Links">
      <TextField form={form} name="company" hint="In the copyright line of every page." />
      <TextField form={form} name="supportUrl" hint="Your support channel. Without an address, the page Support of the guide." />
      <TextField form={form} name="feedbackUrl" hint="{email} is replaced by the user’s e-mail address. Without an address, no button." />
      <TextField
        form={form}
        name="feedbackScriptUrl"
        hint="Leave feedback then opens the widget. The script gets the user’s e-mail address and can read every page."
      />
      <div className="pair">
        <TextField form={form} name="analyticsScriptUrl" hint="{projectId} is replaced by the id. The script can read every page." />
        <TextField form={form} name="analyticsProjectId" hint="The tool starts if there is an id." />
      </div>
      <TextField form={form} name="portalUrl" hint="Adds a link to /application/{id} to every app. Without an address, no link." />
      <fieldset className="stack">
        <legend>
          <h3>Footer</h3>
        </legend>
        <div className="pair">
          {footerLabels.map((label) => (
            <TextField key={label} form={form} name={`footer.${label}`} placeholder="Page of the guide" inputMode="url" />
          ))}
        </div>
      </fieldset>
      <div>
        <Button type="submit" variant="primary" isBusy={form.isBusy} busyLabel="Saving">
          Save links
        </Button>
      </div>
    </Form>
  );
}
