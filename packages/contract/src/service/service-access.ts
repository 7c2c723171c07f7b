/** Credentials for calling a service: the platform's user and password for basic authentication, and tokens for JWT authentication. */
import * as z from 'zod/mini';
import { Instant } from '../kernel/fields.ts';
import { route } from '../kernel/kernel.ts';

const tag = 'Services';
const one = '/api/v1/apps/{app}/{env}/services/{service}';
const codes = ['ApplicationDoesNotExists', 'EnvironmentDoesNotExist', 'ServiceDoesNotExist', 'NotAMember'] as const;

/** The secret group that contains user name and password. Reading them is a reveal like any other. */
export const basicAuthGroupOf = (service: string): string => `${service}-basic-auth`;
export const serviceBasicAuthRotate = route('serviceBasicAuthRotate', `POST ${one}/basic-auth/rotations`, {
  summary: 'Create a new password for basic authentication; the old one ends at once',
  tag,
  access: 'appMember',
  response: z.object({ secretGroup: z.string(), version: z.number() }),
  codes: [...codes, 'BasicAuthNotInUse', 'SecretGroupAlreadyExists', 'SecretVersionConflict'],
});
export const ServiceAccessToken = z.object({ token: z.string(), audience: z.string(), expiresAt: Instant });
export const serviceAccessTokenCreate = route('serviceAccessTokenCreate', `POST ${one}/access-tokens`, {
  summary: 'A token of one hour to call this service with; the platform itself refuses it',
  tag,
  access: 'appMember',
  response: ServiceAccessToken,
  isSecret: true,
  codes: [...codes, 'AccessTokenNotOffered'],
});
/** Required audience of a caller's token (decisions §9). */
export const serviceAudience = (app: string, env: string, service: string): string => `service:${app}/${env}/${service}`;
