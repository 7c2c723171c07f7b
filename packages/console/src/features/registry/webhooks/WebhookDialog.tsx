/** The form of a webhook, new or existing. Its authorization header is write-only. */
import {
  webhookCreate,
  WebhookCreate,
  webhookEventLabels,
  webhookEventTypes,
  webhookUpdate,
  type Webhook,
  type WebhookEventType,
} from '@slipway/contract/registry/webhook.ts';
import { Checkbox } from '@slipway/ui/form/Checkbox.tsx';
import { Field } from '@slipway/ui/form/Field.tsx';
import { Notice } from '@slipway/ui/feedback/Notice.tsx';
import { Switch } from '@slipway/ui/form/Switch.tsx';
import { toast } from '@slipway/ui/overlay/toast.ts';
import { useController } from 'react-hook-form';
import { useNavigate } from 'react-router';
import * as z from 'zod/mini';
import { refresh } from '#entities/changes/refresh.ts';
import { paths } from '#entities/paths.ts';
import { useWrite } from '#kit/api/write.ts';
import { CheckboxesField } from '#kit/form/ChoiceFields.tsx';
import { FormDialog } from '#kit/form/FormDialog.tsx';
import { TextField } from '#kit/form/TextField.tsx';
import { useApiForm, type ApiForm } from '#kit/form/use-api-form.ts';
import type { RegistryPlace } from '#features/registry/use-registry.ts';
import type { MadeSigningSecret } from './SigningSecret.tsx';

interface Values {
  name: string;
  description: string;
  targetUrl: string;
  eventTypes: WebhookEventType[];
  /** Empty keeps the current header, or sets none. */
  authorization: string;
  clearsAuthorization: boolean;
  skipCertificateVerification: boolean;
  enabled: boolean;
}
const labels = {
  name: 'Name',
  description: 'Description',
  targetUrl: 'Target URL',
  eventTypes: 'Event types',
  authorization: 'Authorization header',
};
const options = webhookEventTypes.map((value) => ({ value, label: webhookEventLabels[value] }));

const { shape } = WebhookCreate;
const schema = (isNew: boolean): z.ZodMiniType<Values, Values> =>
  z.object({
    name: isNew ? shape.name : z.string(),
    description: z.string().check(z.trim(), z.maxLength(200, { error: 'ExceedsMaximumLength' })),
    targetUrl: shape.targetUrl,
    eventTypes: shape.eventTypes,
    authorization: z
      .string()
      .check(z.trim(), z.maxLength(4096, { error: 'ExceedsMaximumLength' }), z.regex(/^[\x20-\x7e]*$/, { error: 'AuthorizationInvalid' })),
    clearsAuthorization: z.boolean(),
    skipCertificateVerification: z.boolean(),
    enabled: z.boolean(),
  });

const startOf = (webhook: Webhook | undefined): Values => ({
  name: webhook?.name ?? '',
  description: webhook?.description ?? '',
  targetUrl: webhook?.targetUrl ?? '',
  eventTypes: webhook?.eventTypes ?? [],
  authorization: '',
  clearsAuthorization: false,
  skipCertificateVerification: webhook?.skipCertificateVerification ?? false,
  enabled: webhook?.enabled ?? true,
});

/** Omits `authorization` to keep the current header. Null removes the header. */
const bodyOf = (values: Values) => {
  const { description, targetUrl, eventTypes, authorization, clearsAuthorization, skipCertificateVerification, enabled } = values;
  return {
    description,
    targetUrl,
    eventTypes,
    skipCertificateVerification,
    enabled,
    ...(clearsAuthorization ? { authorization: null } : authorization === '' ? {} : { authorization }),
  };
};

interface WebhookDialogProps {
  place: RegistryPlace;
  /** Undefined for a new webhook. */
  webhook?: Webhook;
  onClose: () => void;
  onMade?: (secret: MadeSigningSecret) => void;
}

export function WebhookDialog({ place, webhook, onClose, onMade }: WebhookDialogProps) {
  const create = useWrite(webhookCreate);
  const update = useWrite(webhookUpdate);
  const navigate = useNavigate();
  const form = useApiForm({
    schema: schema(!webhook),
    defaultValues: startOf(webhook),
    labels,
    onSubmit: async (values) => {
      if (webhook) {
        await update.send({ params: { ...place, webhook: webhook.name }, body: bodyOf(values) });
        toast.success(`${webhook.name} is saved`);
      } else {
        const { name, secret } = await create.send({ params: { ...place }, body: { name: values.name, ...bodyOf(values) } });
        // Navigates before showing the secret, because the secret's guard asks before the user leaves the page.
        await navigate(paths.webhook({ ...place, webhook: name }));
        onMade?.({ name, secret, previousEndsAt: null });
      }
      onClose();
      await refresh({ kind: 'webhook', app: place.app });
    },
  });
  return (
    <FormDialog
      form={form}
      onClose={onClose}
      title={webhook ? `Edit ${webhook.name}` : 'New webhook'}
      submitLabel={webhook ? 'Save webhook' : 'Create webhook'}
      busyLabel={webhook ? 'Saving' : 'Creating'}
    >
      {!webhook && <TextField form={form} name="name" spellCheck={false} autoCapitalize="off" hint="It cannot be changed later." />}
      <TextField
        form={form}
        name="targetUrl"
        type="url"
        spellCheck={false}
        placeholder="https://"
        hint="Loopback, link-local and private addresses are refused, also each time the name is looked up."
      />
      <TextField form={form} name="description" labelNote="optional" />
      <CheckboxesField form={form} name="eventTypes" labelNote="at least one" options={options} />
      <AuthorizationField form={form} isSet={webhook?.authorization != null} />
      <TargetSwitches form={form} />
    </FormDialog>
  );
}

function AuthorizationField({ form, isSet }: { form: ApiForm<Values>; isSet: boolean }) {
  const { field } = useController({ control: form.control, name: 'clearsAuthorization' });
  return (
    <>
      {!field.value && (
        <TextField
          form={form}
          name="authorization"
          labelNote="optional"
          isMono
          spellCheck={false}
          autoComplete="off"
          placeholder={isSet ? 'Set. Leave it empty to keep it' : 'Bearer …'}
          hint="Sent as it stands. It is sealed, and never shown again."
        />
      )}
      {isSet && (
        <Checkbox
          label="Send no authorization header any more"
          checked={field.value}
          onChange={(event) => field.onChange(event.target.checked)}
        />
      )}
    </>
  );
}

function TargetSwitches({ form }: { form: ApiForm<Values> }) {
  const skip = useController({ control: form.control, name: 'skipCertificateVerification' }).field;
  const enabled = useController({ control: form.control, name: 'enabled' }).field;
  return (
    <Field label="Sending" isGroup>
      <Switch label="Enabled" checked={enabled.value} onChange={(event) => enabled.onChange(event.target.checked)} />
      <Switch label="Skip certificate verification" checked={skip.value} onChange={(event) => skip.onChange(event.target.checked)} />
      {skip.value && (
        <Notice tone="warn" isLive>
          Anyone between Slipway and the target can then read deliveries, the authorization header among them. Use it for tests alone.
        </Notice>
      )}
    </Field>
  );
}
