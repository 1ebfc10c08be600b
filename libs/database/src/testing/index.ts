export { createTestDatabase, testServer, type TestDatabase } from './test-database';
