/** The result of creating or rotating a robot account: the secret, shown once, or where it was stored; and when the old secret ends. */
import { robotAccountSecretEnd } from '@slipway/contract/registry/robot-account.ts';
import { Button } from '@slipway/ui/form/Button.tsx';
import { Notice } from '@slipway/ui/feedback/Notice.tsx';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { CommandLine } from '@slipway/ui/text/CommandLine.tsx';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { toast } from '@slipway/ui/overlay/toast.ts';
import { refresh } from '#entities/changes/refresh.ts';
import { paths, type AppRef } from '#entities/paths.ts';
import { useWrite } from '#kit/api/write.ts';
import { confirmAction } from '#kit/confirm/confirm-action.ts';
import { ShownOnce } from '#kit/page/ShownOnce.tsx';
import type { MadeSecret } from './RobotDialogs.tsx';

export interface RobotSecretCardProps {
  place: AppRef;
  made: MadeSecret;
  onClose: () => void;
  /** Called after the old secret ended. */
  onEnded: () => void;
}

export function RobotSecretCard({ place, made, onClose, onEnded }: RobotSecretCardProps) {
  const { username, secret, host, writtenTo } = made;
  const old = made.previousEndsAt !== null && <OldSecret place={place} name={made.name} endsAt={made.previousEndsAt} onEnded={onEnded} />;
  if (secret !== null) {
    return (
      <ShownOnce
        title={
          <>
            <strong>{username}</strong> has a new secret.
          </>
        }
        secret={secret}
        onClose={onClose}
      >
        <CommandLine command={`docker login ${host} -u '${username}'`} />
        {old}
      </ShownOnce>
    );
  }
  return (
    <Notice
      tone="ok"
      isLive
      actions={
        <Button size="sm" onClick={onClose}>
          Done
        </Button>
      }
    >
      <div className="stack stack-8">
        {writtenTo && (
          <p>
            The secret of <strong>{username}</strong> is <code>{writtenTo.key}</code> of version {writtenTo.version} of{' '}
            <Link className="in" href={paths.secretGroup({ app: place.app, env: writtenTo.environment, group: writtenTo.group })}>
              {writtenTo.group}
            </Link>{' '}
            in {writtenTo.environment}. Services read it with their next revision.
          </p>
        )}
        {old}
      </div>
    </Notice>
  );
}

interface OldSecretProps extends Pick<RobotSecretCardProps, 'place' | 'onEnded'> {
  name: string;
  endsAt: string;
}
function OldSecret({ place, name, endsAt, onEnded }: OldSecretProps) {
  const askEnd = useSecretEnd(place, onEnded);
  return (
    <p className="row row-wrap">
      <span>
        The old secret ends <RelativeTime at={endsAt} isFocusable />.
      </span>
      <Button size="sm" onClick={() => askEnd(name)}>
        End it now
      </Button>
    </p>
  );
}

/** Ends the old secret. Clients that still use it can no longer log in. */
export const useSecretEnd = (place: AppRef, onEnded: () => void) => {
  const end = useWrite(robotAccountSecretEnd);
  return (name: string): void =>
    confirmAction({
      title: `End the old secret of ${name} now?`,
      description: 'Whatever still logs in with it is refused from then on. The new secret stays.',
      confirmLabel: 'End the old secret',
      busyLabel: 'Ending',
      run: async () => {
        await end.send({ params: { app: place.app, env: place.env, robot: name } });
        toast.success(`The old secret of ${name} has ended`);
        onEnded();
        await refresh({ kind: 'robotAccount', app: place.app });
      },
    });
};
