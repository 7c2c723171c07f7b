/** Calls an external registry over HTTP, with limits on time and size. Translates its errors into failures of the port. */
import type { z } from 'zod';
import { PortFailure } from '#ports/failure.ts';
import { registryAway } from '#ports/schema-registry.ts';
import { Failure } from './registry-api.ts';

export interface RegistryAddress {
  /** Without a trailing slash: `https://registry.example.com/apis/ccompat/v7`. */
  readonly url: string;
  /** The whole value of the header, if the registry needs it. */
  readonly authorization?: string | undefined;
}
export interface ClientLimits {
  /** Limits per answer. */
  readonly answerMs: number;
  readonly answerBytes: number;
}
interface Asked {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly body?: object;
}
interface Answer {
  readonly status: number;
  readonly text: string;
}

const MEDIA_TYPE = 'application/vnd.schemaregistry.v1+json';
const REASON = 2000;
const defaultLimits: ClientLimits = { answerMs: 15_000, answerBytes: 64 << 20 };

/** Encodes names, which may contain slashes. */
export const segment = (text: string): string => encodeURIComponent(text);

export class RegistryClient {
  readonly #address: RegistryAddress;
  readonly #limits: ClientLimits;

  constructor(address: RegistryAddress, limits: Partial<ClientLimits> = {}) {
    this.#address = address;
    this.#limits = { ...defaultLimits, ...limits };
  }

  /** Returns undefined if the resource does not exist. */
  async find<Shape extends z.ZodType>(shape: Shape, asked: Asked): Promise<z.output<Shape> | undefined> {
    const answer = await this.#send(asked);
    if (answer.status === 404) return undefined;
    if (answer.status < 200 || answer.status > 299) throw failureOf(answer);
    try {
      return shape.parse(answer.text === '' ? undefined : JSON.parse(answer.text));
    } catch (cause) {
      throw registryAway(`The schema registry's answer to ${asked.path} is not of Confluent's API`, cause);
    }
  }

  async ask<Shape extends z.ZodType>(shape: Shape, asked: Asked): Promise<z.output<Shape>> {
    const found = await this.find(shape, asked);
    if (found === undefined) throw new PortFailure('notFound', `The schema registry has no ${asked.path}`);
    return found;
  }

  async #send({ method = 'GET', path, body }: Asked): Promise<Answer> {
    const { url, authorization } = this.#address;
    try {
      const response = await fetch(`${url}${path}`, {
        method,
        redirect: 'manual',
        signal: AbortSignal.timeout(this.#limits.answerMs),
        headers: {
          accept: `${MEDIA_TYPE}, application/json`,
          ...(body ? { 'content-type': MEDIA_TYPE } : {}),
          ...(authorization === undefined ? {} : { authorization }),
        },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
      return { status: response.status, text: await this.#text(response) };
    } catch (cause) {
      if (cause instanceof PortFailure) throw cause;
      throw registryAway('The schema registry does not answer', cause);
    }
  }

  async #text(response: Response): Promise<string> {
    const decoder = new TextDecoder();
    let text = '';
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk, { stream: true });
      if (text.length > this.#limits.answerBytes) throw registryAway("The schema registry's answer is too large");
    }
    return text + decoder.decode();
  }
}

const rejected: Readonly<Record<number, string>> = {
  42201: 'SchemaInvalid',
  // For example, the subject is read-only.
  42205: 'SchemaRegistryRefused',
  42206: 'SchemaIsReferencedBySchemas',
};

const saidIn = (text: string): { code: number; message: string | undefined } => {
  try {
    const { error_code: code, message } = Failure.parse(JSON.parse(text));
    return { code, message: message.slice(0, REASON) };
  } catch {
    // Some errors do not have a body of the API, such as a proxy's error page.
    return { code: 0, message: undefined };
  }
};

const failureOf = ({ status, text }: Answer): PortFailure => {
  const { code, message = `the schema registry answered ${status}` } = saidIn(text);
  const refused = (as: string): PortFailure => new PortFailure('rejected', message, { code: as, context: { reason: message } });
  if (status === 409) return refused('SchemaIncompatible');
  if (status === 400 || status === 422) return refused(rejected[code] ?? 'SchemaInvalid');
  if (status === 401 || status === 403) return registryAway(`The schema registry refuses the platform: ${message}`);
  return registryAway(message);
};
