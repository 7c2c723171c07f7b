/** Connection settings for a client, without the password, and what the cluster refuses. */
import type { Account } from '@slipway/contract/streaming/account.ts';
import { KeyValue } from '@slipway/ui/layout/KeyValue.tsx';
import { Panel, PanelBody, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { useRefusedSettings } from '#features/streaming/BrokerNotice.tsx';
import type { AccountPlace } from '#features/streaming/use-place.ts';

export function ConnectionPanel({ place, account: { connection, groupPrefix } }: { place: AccountPlace; account: Account }) {
  const refused = useRefusedSettings(place);
  if (!connection) return null;
  const { bootstrapServers, securityProtocol, mechanism, schemaRegistryUrl } = connection;
  return (
    <Panel aria-labelledby="connection">
      <PanelHead title="Connection" titleId="connection" />
      <PanelBody>
        <KeyValue
          items={[
            { label: 'Brokers', value: <code>{bootstrapServers.join(', ')}</code> },
            { label: 'Security', value: securityProtocol === 'SASL_SSL' ? 'SASL over TLS' : 'SASL' },
            { label: 'Mechanism', value: mechanism },
            ...(schemaRegistryUrl === null ? [] : [{ label: 'Registry', value: <code>{schemaRegistryUrl}</code> }]),
            { label: 'Groups begin', value: <code>{groupPrefix}</code> },
            ...(refused === undefined ? [] : [{ label: 'Not offered', value: refused }]),
          ]}
        />
      </PanelBody>
    </Panel>
  );
}
