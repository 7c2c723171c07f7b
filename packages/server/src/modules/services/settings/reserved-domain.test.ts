import { expect, test } from 'vitest';
import { isReservedDomain } from './reserved-domain.ts';

const hosts = ['slipway.example.com', 'registry.example.com', 'localhost'];
const url = ({ app, environment, service }: { app: string; environment: string; service: string }) =>
  `http://${service}.${app}.${environment}.localhost:4080/`;

test.each([
  ['slipway.example.com', true],
  ['registry.example.com', true],
  ['cookies.slipway.example.com', true],
  ['orders.berth.production.localhost', true],
  ['orders.berth.staging.localhost', false],
  ['a.orders.berth.production.localhost', false],
  ['planner.localhost', false],
  ['planner.example.com', false],
  ['notslipway.example.com', false],
])('%s is the platform’s: %s', (domain, expected) => {
  expect(isReservedDomain(domain, { url, hosts })).toBe(expected);
});
