/** Services: image and settings, each of which can be left out. A service that production lacks is copied whole. */
import { imageField } from '@slipway/contract/promotion.ts';
import { serviceCopy } from '@slipway/contract/service/service-operations.ts';
import { note } from '#modules/pipelines/index.ts';
import { serviceSides } from '#modules/services/index.ts';
import type { Difference, PromotedKind } from './promoted-kind.ts';

/** The number of instances is usually meant to differ, and so is what names the environment. */
const isMeantToDiffer = (path: string, text: string | null): boolean =>
  path.startsWith('spec.template.replicaScaling.') || /\bdevelopment\b/i.test(text ?? '');

export const services: PromotedKind = {
  kind: 'service',
  table: 'service',
  compare: async ({ db }, { app, name }) => {
    const { isThere, changes, image, seen } = await serviceSides(db, app, name);
    const differences = [
      ...(image ? [{ field: imageField, label: 'Image', before: image.before, after: image.after, isChosen: true }] : []),
      ...changes.map(({ path, label, before, after }): Difference => {
        return { field: path, label, before, after, isChosen: !isMeantToDiffer(path, after) };
      }),
    ];
    return {
      isThere,
      isChosen: !isThere || differences.some(({ isChosen }) => isChosen),
      differences,
      notes: !isThere && !image ? [note('NotDeployedYet', { name })] : [],
      seen,
      write: ({ fields }) => {
        const wanted = fields ?? differences.flatMap(({ field, isChosen }) => (isChosen ? field : []));
        return {
          route: serviceCopy,
          params: { app, env: 'development', service: name },
          body: {
            environment: 'production',
            name,
            carry: isThere ? wanted.filter((field) => field !== imageField) : 'all',
            imageTag: image && wanted.includes(imageField) ? image.after : null,
            overwrite: isThere,
          },
        };
      },
    };
  },
};
