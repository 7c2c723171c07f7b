/** Writes of a container registry. An app has one for both environments, so the namesakes are those of the other app. */
import { expect } from 'vitest';
import { containerRegistryDelete, containerRegistryQuotaSet, containerRegistryUpdate } from '@slipway/contract/registry/project.ts';
import { imageRepositoryDelete, imageTagDelete } from '@slipway/contract/registry/images.ts';
import {
  robotAccountActivate,
  robotAccountCreate,
  robotAccountDelete,
  robotAccountRotate,
  robotAccountSecretEnd,
  robotAccountUpdate,
} from '@slipway/contract/registry/robot-account.ts';
import { imageScanCreate, imageScanView } from '@slipway/contract/registry/scan.ts';
import {
  webhookCreate,
  webhookDelete,
  webhookDeliveryList,
  webhookDeliveryResend,
  webhookSecretRotate,
  webhookTest,
  webhookUpdate,
  type WebhookDelivery,
} from '@slipway/contract/registry/webhook.ts';
import { eventually, PREFIX_APP, SERVICE, view, type Write } from './write.ts';

const robot = { robot: 'ci' };
const webhook = { webhook: 'notes' };
const hook = { targetUrl: 'http://127.0.0.2:8080/', eventTypes: ['PUSH_ARTIFACT'] };
const permissions = ['pull'] as const;
const image = { repository: SERVICE, tag: 'two' };
const policy = { isPublic: true, preventVulnerableImages: false, severity: 'low', retention: null, allowedCves: [] };
const namesake = { isInNamesakes: true } as const;

export const registryWrites: readonly Write[] = [
  { route: containerRegistryUpdate, request: { body: policy } },
  { route: containerRegistryQuotaSet, actor: 'administrator', request: { body: { quotaBytes: 2 ** 40 } } },
  { route: robotAccountCreate, ...namesake, request: { body: { name: 'ci', permissions } } },
  { route: robotAccountRotate, ...namesake, request: { params: robot, body: { overlapHours: 24 } } },
  { route: robotAccountSecretEnd, request: { params: robot } },
  { route: robotAccountUpdate, request: { params: robot, body: { description: 'Builds', permissions } } },
  { route: robotAccountActivate, request: { params: robot, body: { active: false } } },
  { route: robotAccountDelete, request: { params: robot } },
  { route: webhookCreate, ...namesake, request: ({ receiver }) => ({ body: { ...hook, name: 'notes', targetUrl: receiver } }) },
  { route: webhookSecretRotate, ...namesake, request: { params: webhook, body: { overlapHours: 24 } } },
  { route: webhookUpdate, request: ({ receiver }) => ({ params: webhook, body: { ...hook, targetUrl: `${receiver}more` } }) },
  { route: webhookTest, ...namesake, request: { params: webhook } },
  {
    route: webhookDeliveryResend,
    request: async (world, place) => {
      const { content } = await view<{ content: WebhookDelivery[] }>(world, place, webhookDeliveryList, webhook);
      return { params: { ...webhook, delivery: content[0]?.id ?? '' } };
    },
  },
  { route: webhookDelete, request: { params: webhook } },
  {
    route: imageScanCreate,
    request: { params: image },
    after: (world, place) =>
      eventually(async () => expect((await view<{ state: string }>(world, place, imageScanView, image)).state).toMatch(/COMPLETED|FAILED/)),
  },
  { route: imageTagDelete, request: { params: image } },
  { route: imageRepositoryDelete, request: { params: { repository: 'unused' } } },
  { route: containerRegistryDelete, request: { params: { app: PREFIX_APP } } },
];
