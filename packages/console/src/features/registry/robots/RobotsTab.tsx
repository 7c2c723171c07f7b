/** The robot accounts of an app's registry, for pushing and pulling by machines: permissions, expiry, and last use. */
import { robotAccountActivate, robotAccountDelete, robotAccountList, type RobotAccount } from '@slipway/contract/registry/robot-account.ts';
import { Button } from '@slipway/ui/form/Button.tsx';
import { Checkbox } from '@slipway/ui/form/Checkbox.tsx';
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { toast } from '@slipway/ui/overlay/toast.ts';
import { count } from '@slipway/ui/format/count.ts';
import { useNow } from '@slipway/ui/use-now.ts';
import { useState } from 'react';
import { refresh } from '#entities/changes/refresh.ts';
import type { AppRef } from '#entities/paths.ts';
import { useQuery } from '#kit/api/query.ts';
import { useWrite } from '#kit/api/write.ts';
import { confirmAction } from '#kit/confirm/confirm-action.ts';
import { reasonOf } from '#kit/error/messages.ts';
import { ListPanel } from '#kit/list/ListPanel.tsx';
import { useUrlState } from '#kit/state/url-state.ts';
import { RegistryAction } from '#features/registry/RegistryAction.tsx';
import { useRegistry, type ShownRegistry } from '#features/registry/use-registry.ts';
import { robotColumns, type RobotActions } from './robot-columns.tsx';
import { robotGroups } from './robot-labels.ts';
import { EditRobotDialog, NewRobotDialog, RotateRobotDialog, type MadeSecret } from './RobotDialogs.tsx';
import { RobotSecretCard, useSecretEnd } from './RobotSecretCard.tsx';

const defaults = { disabled: '' };
/** More than the limit per project. */
const most = 100;
const minuteMs = 60_000;

type Open = { what: 'new' } | { what: 'edit' | 'rotate'; robot: RobotAccount };

export function Component() {
  const shown = useRegistry();
  return shown.registry ? <Robots key={shown.place.app} {...shown} /> : null;
}

function Robots({ place, registry, team }: ShownRegistry) {
  const { state, set } = useUrlState(defaults);
  const list = useQuery(robotAccountList, { params: { app: place.app, env: place.env }, query: { size: most } });
  const minute = useNow((now) => Math.floor(now / minuteMs));
  const [open, setOpen] = useState<Open>();
  const [made, setMade] = useState<MadeSecret>();
  const actions = useRobotActions(place, setOpen, setMade);
  const close = (): void => setOpen(undefined);
  const robots = list.data?.content ?? [];
  const disabled = robots.filter((robot) => robot.state === 'DISABLED');
  const isHidden = state.disabled === 'hidden';
  const reason = reasonOf(registry?.can, 'manageRobotAccounts', { team });
  const newButton = (
    <Button disabledReason={reason} onClick={() => setOpen({ what: 'new' })}>
      New robot account
    </Button>
  );
  const ownCount = robots.filter(({ managedBy }) => managedBy === 'TEAM').length;
  return (
    <>
      <RegistryAction>{ownCount > 0 && newButton}</RegistryAction>
      {made && (
        <RobotSecretCard
          place={place}
          made={made}
          onClose={() => setMade(undefined)}
          onEnded={() => setMade(made.secret === null ? undefined : { ...made, previousEndsAt: null })}
        />
      )}
      {list.data && ownCount === 0 && (
        <EmptyState kind="first-use" level={2} title="No robot accounts configured" actions={newButton}>
          CI, docker and skopeo log in with one. It reaches this app's repositories alone, in both environments.
        </EmptyState>
      )}
      <ListPanel
        label="Robot accounts"
        plural="robot accounts"
        list={list}
        head={{
          title: 'Robot accounts',
          note: 'Machines that push and pull. The team hears 14 days before one ends',
          ...(disabled.length > 0 && {
            children: (
              <Checkbox
                label={`Hide ${count(disabled.length, 'disabled account')}`}
                checked={isHidden}
                onChange={(event) => set({ disabled: event.target.checked ? 'hidden' : '' }, { replace: true })}
              />
            ),
          }),
        }}
        columns={robotColumns(actions, new Date(minute * minuteMs), team)}
        groups={robotGroups(isHidden ? robots.filter((robot) => robot.state !== 'DISABLED') : robots)}
        rowKey={({ name }) => name}
        isSelected={({ name }) => name === made?.name}
        density="tall"
        phone="flow"
      />
      {open?.what === 'new' && <NewRobotDialog place={place} onClose={close} onMade={setMade} />}
      {open?.what === 'edit' && <EditRobotDialog place={place} robot={open.robot} onClose={close} />}
      {open?.what === 'rotate' && <RotateRobotDialog place={place} robot={open.robot} onClose={close} onMade={setMade} />}
    </>
  );
}

const useRobotActions = (place: AppRef, setOpen: (open: Open) => void, setMade: (made: undefined) => void): RobotActions => {
  const activate = useWrite(robotAccountActivate);
  const remove = useWrite(robotAccountDelete);
  const params = ({ name }: RobotAccount) => ({ app: place.app, env: place.env, robot: name });
  const done = () => refresh({ kind: 'robotAccount', app: place.app });
  const setActive = async (robot: RobotAccount, active: boolean): Promise<void> => {
    await activate.send({ params: params(robot), body: { active } });
    toast.success(`${robot.name} is ${active ? 'enabled' : 'disabled'}`);
    await done();
  };
  return {
    edit: (robot) => setOpen({ what: 'edit', robot }),
    rotate: (robot) => setOpen({ what: 'rotate', robot }),
    endSecret: useSecretEnd(place, () => setMade(undefined)),
    enable: (robot) =>
      confirmAction({
        title: `Enable ${robot.name}?`,
        description: 'It may log in again with the secret that it has.',
        confirmLabel: `Enable ${robot.name}`,
        busyLabel: 'Enabling',
        variant: 'primary',
        run: () => setActive(robot, true),
      }),
    disable: (robot) =>
      confirmAction({
        title: `Disable ${robot.name}?`,
        description:
          'Whatever logs in with it is refused, within five minutes at the latest. It can be enabled again, with the same secret.',
        confirmLabel: `Disable ${robot.name}`,
        busyLabel: 'Disabling',
        run: () => setActive(robot, false),
      }),
    remove: (robot) =>
      confirmAction({
        title: `Delete ${robot.name}?`,
        description: 'Whatever logs in with it is refused, within five minutes at the latest. Images stay.',
        confirmLabel: `Delete ${robot.name}`,
        busyLabel: 'Deleting',
        run: async () => {
          await remove.send({ params: params(robot) });
          toast.success(`${robot.name} is deleted`);
          setMade(undefined);
          await done();
        },
      }),
  };
};
