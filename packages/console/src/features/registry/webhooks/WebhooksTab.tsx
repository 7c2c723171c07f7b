/** The webhooks of an app's registry with their state, and the settings and delivery log of the chosen one. */
import { webhookList } from '@slipway/contract/registry/webhook.ts';
import { Button } from '@slipway/ui/form/Button.tsx';
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { Panel } from '@slipway/ui/layout/Panel.tsx';
import { useState } from 'react';
import { useParams } from 'react-router';
import { paths } from '#entities/paths.ts';
import { useQuery } from '#kit/api/query.ts';
import { BesideList, SideItem, SideList } from '#kit/list/SideList.tsx';
import { usePageTitle } from '#kit/page/page-title.ts';
import { RegistryAction } from '#features/registry/RegistryAction.tsx';
import { useRegistry, type RegistryPlace } from '#features/registry/use-registry.ts';
import { SigningSecret, type MadeSigningSecret } from './SigningSecret.tsx';
import { WebhookDialog } from './WebhookDialog.tsx';
import { WebhookPanel } from './WebhookPanel.tsx';
import { eventWords, webhookLook } from './webhook-labels.ts';

/** More than the limit per project. */
const most = 100;

export function Component() {
  const { place, registry } = useRegistry();
  return registry ? <Webhooks key={place.app} place={place} /> : null;
}

function Webhooks({ place }: { place: RegistryPlace }) {
  const { webhook: name } = useParams();
  const list = useQuery(webhookList, { params: { ...place }, query: { size: most } });
  const [isMaking, setMaking] = useState(false);
  const [made, setMade] = useState<MadeSigningSecret>();
  usePageTitle([name ?? 'Webhooks', place.app, place.env]);
  const webhooks = list.data?.content ?? [];
  const chosen = name === undefined ? webhooks[0] : webhooks.find((webhook) => webhook.name === name);
  const newButton = <Button onClick={() => setMaking(true)}>New webhook</Button>;
  return (
    <>
      <RegistryAction>{webhooks.length > 0 && newButton}</RegistryAction>
      {made && <SigningSecret made={made} onClose={() => setMade(undefined)} />}
      {list.data?.totalElements === 0 ? (
        <Panel aria-label="Webhooks">
          <EmptyState kind="first-use" level={2} title="No webhooks yet" actions={newButton}>
            A webhook sends signed JSON to an address of yours when an image is pushed, deleted or scanned, or the quota fills up.
          </EmptyState>
        </Panel>
      ) : (
        <BesideList>
          <SideList title="Webhooks" list={list}>
            {webhooks.map((webhook) => (
              <SideItem
                key={webhook.name}
                name={webhook.name}
                href={paths.webhook({ ...place, webhook: webhook.name })}
                isCurrent={webhook === chosen}
                look={webhookLook(webhook)}
              >
                <span className="meta ell">{webhook.targetUrl}</span>
                <span className="meta">{eventWords(webhook.eventTypes)}</span>
              </SideItem>
            ))}
          </SideList>
          {list.data &&
            (chosen ? (
              <WebhookPanel key={chosen.name} place={place} webhook={chosen} onSecret={setMade} />
            ) : (
              <Missing name={name ?? ''} place={place} />
            ))}
        </BesideList>
      )}
      {isMaking && <WebhookDialog place={place} onClose={() => setMaking(false)} onMade={setMade} />}
    </>
  );
}

function Missing({ name, place }: { name: string; place: RegistryPlace }) {
  return (
    <Panel aria-label={name}>
      <EmptyState kind="no-match" level={2} title={`There is no webhook ${name}`}>
        It may have been deleted.{' '}
        <Link className="in" href={paths.containerRegistry(place, 'webhooks')}>
          Webhooks of {place.app}
        </Link>
      </EmptyState>
    </Panel>
  );
}
