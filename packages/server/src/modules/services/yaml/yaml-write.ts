/** Writes settings as service.yaml. The same settings always give the same text, so the file suits version control. */
import { Document, isMap as isNode, isPair, isScalar, visit } from 'yaml';
import { looksLikeSecret } from '@slipway/contract/secret/secret-look.ts';
import type { ServiceSettings } from '@slipway/contract/service/service-settings.ts';
import type { ServiceKey } from '../services.sql.ts';
import { commentOf, plainSettings, yamlHead } from './yaml-shape.ts';

/** Secrets are written as references to their groups. Plain values that look like secrets get a comment. */
export const yamlOf = (key: ServiceKey, settings: ServiceSettings): string => {
  const file = { ...yamlHead, metadata: { app: key.app, environment: key.environment, name: key.service }, ...plainSettings(settings) };
  const document = new Document(file, { version: '1.2', aliasDuplicateObjects: false });
  visit(document, {
    Pair: (_, pair, parents) => {
      const keys = [...parents, pair].filter(isPair).map((one) => String(isScalar(one.key) ? one.key.value : ''));
      const comment = commentOf(keys.join('.'));
      if (comment && isScalar(pair.value)) pair.value.comment = ` ${comment}`;
    },
    Map: (_, map) => {
      const [name, value] = [map.get('name'), map.get('value')];
      const look = typeof name === 'string' && typeof value === 'string' ? looksLikeSecret(name, value) : undefined;
      if (look && isNode(map)) map.commentBefore = ` Looks like ${look.kind}: better kept in a secret group.`;
    },
  });
  return document.toString({ lineWidth: 0, indentSeq: false });
};
