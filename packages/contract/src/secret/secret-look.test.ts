/** Values that look like secrets and values that don't. The examples are assembled here, so that scanners do not report a leak. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { entropyOf, looksLikeSecret } from './secret-look.ts';

const letters = 'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hJ6kL9nP2rS5uV8xA1cD4fG7iK0mN3p';
const of = (length: number): string => letters.repeat(3).slice(0, length);
const pem = (what: string): string => [`-----BEGIN ${what}-----`, of(60), `-----END ${what}-----`].join('\n');
const jwt = ['eyJhbGciOiJIUzI1NiJ9', 'eyJzdWIiOiJvcmRlcnMifQ', of(43)].join('.');

describe('secrets', () => {
  test.each([
    ['GH', `ghp_${of(36)}`, 'a GitHub token'],
    ['GH', `gho_${of(36)}`, 'a GitHub token'],
    ['GH', `github_pat_${of(22)}_${of(59)}`, 'a GitHub token'],
    ['HEADER', `Authorization: token ghs_${of(36)}`, 'a GitHub token'],
    ['GL', `glpat-${of(20)}`, 'a GitLab token'],
    ['REGISTRY', `npm_${of(36)}`, 'an npm token'],
    ['REGISTRY', `pypi-${of(60)}`, 'a PyPI token'],
    ['REGISTRY', `oy2${of(43).toLowerCase()}`, 'a NuGet key'],
    ['HUB', `dckr_pat_${of(27)}`, 'a Docker Hub token'],
    ['AWS_ID', `AKIA${of(16).toUpperCase()}`, 'an AWS access key'],
    ['AWS', of(40), 'a random key'],
    ['MAPS', `AIza${of(35)}`, 'a Google API key'],
    ['PAY', `sk_live_${of(24)}`, 'a Stripe key'],
    ['BOT', `xoxb-${of(12)}-${of(24)}`, 'a Slack token'],
    ['BOT', `https://hooks.slack.com/services/T${of(8)}/B${of(8)}/${of(24)}`, 'a Slack webhook'],
    ['STORE', `DefaultEndpointsProtocol=https;AccountName=a;AccountKey=${of(86)}==`, 'an Azure connection string'],
    ['BUS', `Endpoint=sb://a/;SharedAccessKeyName=x;SharedAccessKey=${of(43)}=`, 'an Azure connection string'],
    ['STORE', `${of(86)}==`, 'an Azure storage key'],
    ['BLOB', `https://a.blob.core.windows.net/c?sv=2024&sig=${of(43)}%3D`, 'an Azure shared access signature'],
    ['SESSION', jwt, 'a JSON Web Token'],
    ['SESSION', `Bearer ${jwt}`, 'a JSON Web Token'],
    ['TLS', pem('RSA PRIVATE KEY'), 'a private key'],
    ['TLS', pem('PRIVATE KEY'), 'a private key'],
    ['DB', 'Server=db;User Id=sa;Password=harbour7;', 'a connection string with a password'],
    ['DB', 'postgres://orders:harbour7@db:5432/orders', 'a URL with a password'],
    ['CACHE', 'redis://:harbour7@cache:6379', 'a URL with a password'],
    ['DB_PASSWORD', 'harbour', 'a password or key'],
    ['paymentApiKey', 'harbour-7-pilot', 'a password or key'],
    ['CLIENT_SECRET', '6f1ed002-ab5c-4c1b-9c5e-8b1f2f3a4d5e', 'a password or key'],
    ['PEPPER', 'f3a1'.repeat(3) + '90b27c5de8164fa03d27'.repeat(3), 'a random key'],
    ['PEPPER', 'xK9$mP2!vL5@qR8#tW3%zN6^', 'a random key'],
  ])('%s=%j looks like %s', (name, value, kind) => expect(looksLikeSecret(name, value)?.kind).toBe(kind));

  test('chance in base64 of thirty bytes and more is caught nearly always', () => {
    const base64 = fc.constantFrom(...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/');
    const text = fc.noBias(fc.string({ unit: base64, minLength: 40, maxLength: 64 }));
    const values = fc.sample(text, { numRuns: 1000, seed: 7 });
    const caught = values.filter((value) => looksLikeSecret('VALUE', value));
    expect(caught.length / values.length).toBeGreaterThan(0.95);
  });
});

/** The contract does not depend on Node, but its tests run there. Measures CPU time, because wall time varies with the machine's load. */
const { process } = globalThis as unknown as { process: { cpuUsage(): { user: number } } };
const usedMs = (): number => process.cpuUsage().user / 1000;

test.each(['a.', 'a-', 'eyJ-', 'eyJabcdefgh.', '-----BEGIN A ', ' pwd ', 'a://:b', 'sha1:', 'glptt-a '])(
  'the longest value is looked through at once, also one of %j over and over',
  (piece) => {
    const startedMs = usedMs();
    looksLikeSecret('SETTING', piece.repeat(32_768 / piece.length));
    // With a rescan from every position this takes seconds, and settings contain hundreds of values.
    expect(usedMs() - startedMs).toBeLessThan(300);
  },
);

describe('no secrets', () => {
  test.each([
    ['EMPTY', ''],
    ['PASSWORD', ''],
    ['LOG_LEVEL', 'information'],
    ['PORT', '8080'],
    ['PASSWORD_MIN_LENGTH', '12'],
    ['TOKEN', 'true'],
    ['TOKEN_TTL_SECONDS', '3600'],
    ['TOKEN_URL', 'https://login.example.com/oauth2/token'],
    ['SECRET', '/run/secrets/orders/token'],
    ['DB_PASSWORD', '${DB_PASSWORD}'],
    ['DB', 'postgres://orders:${DB_PASSWORD}@db:5432/orders'],
    ['DB', 'Server=db;User Id=sa;Password=${DB_PASSWORD};'],
    ['SECRET_NAME', 'orders-database-password-production'],
    ['MONKEY', 'capuchin'],
    ['TENANT_ID', '6f1ed002-ab5c-4c1b-9c5e-8b1f2f3a4d5e'],
    ['TENANT', 'tenant-6F1ED002-AB5C-4C1B-9C5E-8B1F2F3A4D5E'],
    ['COMMIT', 'd0b7b8014c3f6a7e9b2d5c8f1a4e7d0b3c6f9a2e'],
    ['IMAGE_DIGEST', `sha256:${'0a1b2c3d4e5f6789'.repeat(4)}`],
    ['IMAGE', `registry.example.com/orders/api@sha256:${'0a1b2c3d4e5f6789'.repeat(4)}`],
    ['IMAGE', 'registry.example.com:5000/orders/orders-api:1.4.2-b17'],
    ['ARTIFACT_SHA256', '0a1b2c3d4e5f6789'.repeat(4)],
    ['URL', 'https://orders.example.com/api/v2/items?page=3&size=50#top'],
    ['USER_AT', 'https://example.com/@someone/12:30'],
    ['FILE', '/usr/local/share/ca-certificates/corporate-root-2026.crt'],
    ['FILE', String.raw`C:\Program Files\Orders\settings-2026-11.json`],
    ['NUMBERS', '12345678901234567890123456789'],
    ['CLASS', 'com.example.orders.messaging.KafkaOrderEventSerializerV2'],
    ['CLASS', 'Example.Orders.OrderPlacedHandler, Example.Orders'],
    ['MODULE', 'OrderServiceImplementationFactoryBean'],
    ['POD', 'orders-worker-7f9c6d5b8d-x2k4q'],
    ['PLATFORM', 'x86_64-unknown-linux-gnu-2026'],
    ['VERSION', '1.22.333-rc.1+build.20261120'],
    ['AT', '2026-11-20T13:59:45.123Z'],
    ['JSON', '{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6}'],
    ['PATTERN', String.raw`^v[0-9]+\.[0-9]+\.[0-9]+$`],
    ['TEXT', 'Ships 7 of 9 berths by 12:30, A1 to B9'],
    ['TLS', pem('CERTIFICATE')],
    ['TLS', pem('PUBLIC KEY')],
  ])('%s=%j', (name, value) => expect(looksLikeSecret(name, value)).toBeUndefined());

  test('ids, numbers, words and addresses of any kind', () => {
    const word = fc.constantFrom('order', 'Berth', 'harbour', 'pilot', 'crane', 'Vessel', 'tide', 'cargo', 'manifest');
    const words = fc.array(word, { minLength: 1, maxLength: 8 });
    const plain = fc.oneof(
      fc.uuid(),
      fc.integer().map(String),
      fc.double().map(String),
      fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
      fc.ipV4(),
      fc.domain(),
      fc.tuple(words, fc.constantFrom('', '-', '_', '.', '/', ' ', ', ')).map(([found, joint]) => found.join(joint)),
      words.map((found) => `/${found.join('/')}`),
      words.map((found) => `https://example.com/${found.join('/')}`),
    );
    fc.assert(
      fc.property(plain, (value) => {
        expect(looksLikeSecret('SETTING', value)).toBeUndefined();
      }),
      { numRuns: 2000 },
    );
  });

  test('entropy', () => {
    expect(entropyOf('aaaa')).toBe(0);
    expect(entropyOf('0123456789abcdef')).toBe(4);
    expect(entropyOf('')).toBe(0);
  });
});
