/** The password of an account: age, storage location, rotation, and the former password while both work. */
import { saslMechanism, type Account } from '@slipway/contract/streaming/account.ts';
import { accountFormerPasswordEnd } from '@slipway/contract/streaming/account-password.ts';
import { Button } from '@slipway/ui/form/Button.tsx';
import { KeyValue } from '@slipway/ui/layout/KeyValue.tsx';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { Panel, PanelBody, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { toast } from '@slipway/ui/overlay/toast.ts';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { lazy, Suspense, useState } from 'react';
import { refresh } from '#entities/changes/refresh.ts';
import { paths } from '#entities/paths.ts';
import { useWrite } from '#kit/api/write.ts';
import { confirmAction } from '#kit/confirm/confirm-action.ts';
import { reasonOf } from '#kit/error/messages.ts';
import type { AccountPlace } from '#features/streaming/use-place.ts';

const RotateDialog = lazy(() => import('./RotateDialog.tsx'));

export interface PasswordPanelProps {
  place: AccountPlace;
  account: Account;
  team: string;
}

export function PasswordPanel({ place, account, team }: PasswordPanelProps) {
  const [isRotating, setRotating] = useState(false);
  const endFormer = useEndFormer(place, account);
  const { credentials, can } = account;
  if (!credentials) return null;
  const { changedAt, changedBy, secretGroup, former } = credentials;
  return (
    <Panel aria-labelledby="password">
      <PanelHead title="Password" titleId="password" {...(former ? { note: 'Rotating, with overlap' } : {})} />
      <PanelBody className="stack stack-12">
        <KeyValue
          items={[
            {
              label: 'Set',
              value: (
                <span>
                  <RelativeTime at={changedAt} isShort />, {changedBy}
                </span>
              ),
            },
            {
              label: 'Kept in',
              value: secretGroup ? (
                <Link href={paths.secretGroup({ ...place, group: secretGroup.name })}>
                  {secretGroup.name}, version {secretGroup.version}
                </Link>
              ) : (
                'nowhere in Slipway'
              ),
            },
            { label: 'Mechanism', value: saslMechanism },
            ...(former
              ? [
                  { label: 'Old user', value: <code>{former.user}</code> },
                  { label: 'New user', value: <code>{account.user}</code> },
                  { label: 'Old one ends', value: <RelativeTime at={former.endsAt} /> },
                ]
              : []),
          ]}
        />
        <div className="row row-wrap">
          {/* The same button element for both actions, so that keyboard focus stays on it after a rotation. */}
          <Button
            size="sm"
            disabledReason={reasonOf(can, former ? 'endFormerPassword' : 'rotate', { team })}
            onClick={() => (former ? endFormer(former.user) : setRotating(true))}
          >
            {former ? 'End the old one now' : 'Rotate'}
          </Button>
        </div>
      </PanelBody>
      <Suspense fallback={null}>
        {isRotating && <RotateDialog place={place} account={account} onClose={() => setRotating(false)} />}
      </Suspense>
    </Panel>
  );
}

/** Ends the overlap early on request, after all clients have moved. It never ends automatically before its time. */
const useEndFormer = (place: AccountPlace, { name }: Account): ((user: string) => void) => {
  const write = useWrite(accountFormerPasswordEnd);
  return (user) =>
    confirmAction({
      title: 'End the old password now?',
      description: `Whatever still signs in as ${user} is refused from then on. The new password stays.`,
      confirmLabel: 'End the old one',
      busyLabel: 'Ending',
      run: async () => {
        await write.send({ params: { ...place } });
        toast.success(`The old password of ${name} has ended`);
        await refresh({ kind: 'account', app: place.app, env: place.env });
      },
    });
};
