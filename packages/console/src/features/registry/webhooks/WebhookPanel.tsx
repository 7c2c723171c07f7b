/** One webhook: target, actions, and delivery log. */
import { webhookDelete, webhookSecretRotate, webhookTest, webhookUpdate, type Webhook } from '@slipway/contract/registry/webhook.ts';
import { Button } from '@slipway/ui/form/Button.tsx';
import { IconButton } from '@slipway/ui/form/IconButton.tsx';
import { Switch } from '@slipway/ui/form/Switch.tsx';
import { Notice } from '@slipway/ui/feedback/Notice.tsx';
import { Status } from '@slipway/ui/feedback/Status.tsx';
import { Details } from '@slipway/ui/layout/Details.tsx';
import { Panel, PanelBody, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { Menu } from '@slipway/ui/overlay/Menu.tsx';
import { toast } from '@slipway/ui/overlay/toast.ts';
import { MiddleTruncate } from '@slipway/ui/text/MiddleTruncate.tsx';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { Ellipsis, KeyRound, Pencil, Send, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { flushSync } from 'react-dom';
import { useNavigate } from 'react-router';
import { refresh } from '#entities/changes/refresh.ts';
import { paths } from '#entities/paths.ts';
import { useWrite } from '#kit/api/write.ts';
import { confirmAction } from '#kit/confirm/confirm-action.ts';
import { toastError } from '#kit/error/toast-error.ts';
import { disabledUnless } from '#kit/error/messages.ts';
import type { RegistryPlace } from '#features/registry/use-registry.ts';
import { Deliveries } from './Deliveries.tsx';
import type { MadeSigningSecret } from './SigningSecret.tsx';
import { WebhookDialog } from './WebhookDialog.tsx';
import { answerWord, disabledWords, eventWords, took } from './webhook-labels.ts';

export interface WebhookPanelProps {
  place: RegistryPlace;
  webhook: Webhook;
  onSecret: (made: MadeSigningSecret | undefined) => void;
}

export function WebhookPanel({ place, webhook, onSecret }: WebhookPanelProps) {
  const [isEditing, setEditing] = useState(false);
  const actions = useWebhookActions({ place, webhook, onSecret });
  const may = (verb: string) => disabledUnless(webhook.can, verb);
  return (
    <div className="stack stack-12">
      <Panel aria-labelledby="webhook">
        <PanelHead title={webhook.name} titleId="webhook">
          <Switch
            label={actions.isEnabled ? 'Enabled' : 'Disabled'}
            checked={actions.isEnabled}
            disabled={may('update').disabledReason !== undefined}
            onChange={(event) => void actions.enable(event.target.checked)}
          />
          <Button
            size="sm"
            icon={<Send aria-hidden="true" />}
            isBusy={actions.isTesting}
            busyLabel="Sending"
            onClick={() => void actions.test()}
            {...may('test')}
          >
            Send a test
          </Button>
          <Button size="sm" icon={<Pencil aria-hidden="true" />} onClick={() => setEditing(true)} {...may('update')}>
            Edit
          </Button>
          <Menu
            trigger={<IconButton size="sm" label={`More actions for ${webhook.name}`} icon={<Ellipsis aria-hidden="true" />} />}
            items={[
              { label: 'New signing secret', icon: <KeyRound aria-hidden="true" />, onSelect: actions.rotate, ...may('update') },
              'line',
              { label: 'Delete webhook', icon: <Trash2 aria-hidden="true" />, isDanger: true, onSelect: actions.remove, ...may('delete') },
            ]}
          />
        </PanelHead>
        <PanelBody className="stack">
          {webhook.disabledReason && <Notice tone="warn">{disabledWords[webhook.disabledReason]}</Notice>}
          {webhook.description !== '' && <p>{webhook.description}</p>}
          <Facts webhook={webhook} />
        </PanelBody>
        <Deliveries place={place} webhook={webhook} />
      </Panel>
      <Notice>
        <strong>Webhooks reach outside addresses only.</strong> A name that leads to a loopback, link-local or private address is refused,
        each time it is looked up. Redirects are not followed. An administrator can allow an address.
      </Notice>
      {isEditing && <WebhookDialog place={place} webhook={webhook} onClose={() => setEditing(false)} />}
    </div>
  );
}

function Facts({ webhook }: { webhook: Webhook }) {
  const { targetUrl, authorization, skipCertificateVerification, eventTypes, signingSecret } = webhook;
  return (
    <Details
      items={[
        { label: 'Target URL', value: <MiddleTruncate text={targetUrl} tail={16} isMono isFocusable />, copyText: targetUrl, isWide: true },
        { label: 'Event types', value: eventWords(eventTypes), isWide: true },
        {
          label: 'Authorization header',
          value: authorization ? (
            <span>
              Set by {authorization.setBy.displayName}, <RelativeTime at={authorization.setAt} isShort />
            </span>
          ) : (
            'None'
          ),
        },
        {
          label: 'Certificate',
          value: skipCertificateVerification ? <Status tone="warn">Not checked</Status> : 'Checked',
        },
        {
          label: 'Signing secret',
          value: (
            <span>
              Of <RelativeTime at={signingSecret.setAt} isShort />
              {signingSecret.previousEndsAt !== null && (
                <>
                  ; the old one ends <RelativeTime at={signingSecret.previousEndsAt} isShort />
                </>
              )}
            </span>
          ),
        },
      ]}
    />
  );
}

const useWebhookActions = ({ place, webhook, onSecret }: WebhookPanelProps) => {
  const update = useWrite(webhookUpdate);
  const test = useWrite(webhookTest);
  const rotate = useWrite(webhookSecretRotate);
  const remove = useWrite(webhookDelete);
  const navigate = useNavigate();
  /** The optimistic state, kept until the server's response is loaded, so that the user can switch back. */
  const [wanted, setWanted] = useState<boolean>();
  const params = { ...place, webhook: webhook.name };
  const done = () => refresh({ kind: 'webhook', app: place.app });
  const failed = (title: string, error: unknown): void => {
    toastError(title, error);
  };
  return {
    isEnabled: wanted ?? webhook.enabled,
    isTesting: test.isBusy,
    enable: async (enabled: boolean): Promise<void> => {
      const { description, targetUrl, eventTypes, skipCertificateVerification } = webhook;
      setWanted(enabled);
      try {
        await update.send({ params, body: { description, targetUrl, eventTypes, skipCertificateVerification, enabled } });
        await done();
      } catch (error) {
        failed(`${webhook.name} was not ${enabled ? 'enabled' : 'disabled'}`, error);
      }
      setWanted(undefined);
    },
    test: async (): Promise<void> => {
      try {
        const answer = await test.send({ params });
        const word = answerWord(answer);
        if (answer.failure === null) toast.success(`The test was answered ${word}`, { detail: `After ${took(answer.durationMs)}` });
        else toast.failure('The test was not delivered', { detail: word });
        await done();
      } catch (error) {
        failed('The test was not sent', error);
      }
    },
    rotate: (): void =>
      confirmAction({
        title: `Create a new signing secret for ${webhook.name}?`,
        description:
          'For one hour the old secret signs beside the new one, so that your receiver can change over without losing a delivery.',
        confirmLabel: 'Create a new secret',
        busyLabel: 'Making',
        variant: 'primary',
        run: async () => {
          const { name, signingSecret, previousEndsAt } = await rotate.send({ params, body: { overlapHours: 1 } });
          onSecret({ name, secret: signingSecret, previousEndsAt });
          await done();
        },
      }),
    remove: (): void =>
      confirmAction({
        title: `Delete ${webhook.name}?`,
        description: 'Nothing is sent to its target any more, and its log of deliveries is gone.',
        confirmLabel: `Delete ${webhook.name}`,
        busyLabel: 'Deleting',
        run: async () => {
          await remove.send({ params });
          toast.success(`${webhook.name} is deleted`);
          // Removes the guard of a shown secret before leaving the page.
          flushSync(() => onSecret(undefined));
          await navigate(paths.containerRegistry(place, 'webhooks'));
          await done();
        },
      }),
  };
};
