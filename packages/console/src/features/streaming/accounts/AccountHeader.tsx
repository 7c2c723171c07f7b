/** The header of an account: its user on the cluster, description, and deletion. */
import type { Account } from '@slipway/contract/streaming/account.ts';
import { Badge } from '@slipway/ui/feedback/Badge.tsx';
import { Skeleton } from '@slipway/ui/feedback/Skeleton.tsx';
import { Button } from '@slipway/ui/form/Button.tsx';
import { IconButton } from '@slipway/ui/form/IconButton.tsx';
import { LinkButton } from '@slipway/ui/form/LinkButton.tsx';
import { Details, type Detail } from '@slipway/ui/layout/Details.tsx';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { CircleArrowUp, Pencil, Trash2 } from 'lucide-react';
import { lazy, Suspense, useState, type ReactNode } from 'react';
import { paths } from '#entities/paths.ts';
import { confirmAction } from '#kit/confirm/confirm-action.ts';
import { reasonOf } from '#kit/error/messages.ts';
import { PageHeader } from '#kit/page/PageHeader.tsx';
import { accountLook } from '#features/streaming/streaming-labels.ts';
import { useIsAway, type AccountPlace } from '#features/streaming/use-place.ts';
import { clientsLabel, useAccountGroups } from './use-account-groups.ts';
import { useAccountRemoval } from './use-account-removal.ts';

const DescriptionDialog = lazy(() => import('./DescriptionDialog.tsx'));

interface AccountHeaderProps {
  place: AccountPlace;
  account: Account | undefined;
  team: string;
}

export function AccountHeader({ place, account, team }: AccountHeaderProps) {
  const isAway = useIsAway(place, 'cluster');
  const look = account && accountLook(account, isAway);
  const groups = useAccountGroups(place, account?.state === 'ACTIVE');
  const [isDescribing, setDescribing] = useState(false);
  const describe = account?.state === 'ACTIVE' && (
    <IconButton
      label="Change description"
      variant="quiet"
      size="sm"
      icon={<Pencil aria-hidden="true" />}
      disabledReason={reasonOf(account.can, 'update', { team })}
      onClick={() => setDescribing(true)}
    />
  );
  return (
    <PageHeader
      typeLabel="Account"
      name={account?.name ?? place.account}
      copyText={account?.name ?? place.account}
      status={look && <Badge tone={look.tone}>{look.word}</Badge>}
      isLoading={!account}
      actions={account && <Actions place={place} account={account} team={team} />}
    >
      <Details items={account ? detailsOf(account, groups.data?.groups ?? undefined, describe) : waiting} />
      <Suspense fallback={null}>
        {account && isDescribing && <DescriptionDialog place={place} account={account} onClose={() => setDescribing(false)} />}
      </Suspense>
    </PageHeader>
  );
}

function Actions({ place, account, team }: AccountHeaderProps & { account: Account }) {
  const { remove } = useAccountRemoval(place, account);
  return (
    <>
      <Button
        icon={<Trash2 aria-hidden="true" />}
        disabledReason={reasonOf(account.can, 'delete', { team })}
        onClick={() => confirmAction(remove)}
      >
        Delete account
      </Button>
      {account.state === 'ACTIVE' && place.env === 'development' && (
        <LinkButton href={paths.promotion({ ...place, kind: 'accounts', name: account.name })} icon={<CircleArrowUp aria-hidden="true" />}>
          Promote to production
        </LinkButton>
      )}
    </>
  );
}

const waiting: Detail[] = [
  { label: 'User on the cluster', value: <Skeleton width={170} /> },
  { label: 'Description', value: <Skeleton width={220} /> },
  { label: 'Clients now', value: <Skeleton width={80} /> },
  { label: 'Made', value: <Skeleton width={140} /> },
];

const detailsOf = (
  { user, description, createdBy, createdAt }: Account,
  groups: Parameters<typeof clientsLabel>[0] | undefined,
  describe: ReactNode,
): Detail[] => [
  { label: 'User on the cluster', value: <code>{user}</code>, copyText: user },
  {
    label: 'Description',
    value: (
      <>
        {description === '' ? '–' : description} {describe}
      </>
    ),
  },
  // An unknown number is not shown as 0.
  { label: 'Clients now', value: groups ? clientsLabel(groups) : '–' },
  {
    label: 'Made',
    value: (
      <span>
        {createdBy.displayName}, <RelativeTime at={createdAt} isShort />
      </span>
    ),
  },
];
