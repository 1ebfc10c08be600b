import 'reflect-metadata';
import { Controller, Module, Post } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { AddressInfo } from 'node:net';

/** An empty POST handler in Nest on Fastify: the upper limit for the product. */
@Controller()
class EmptyController {
  @Post(['/api/v1/sandbox/funding', '/api/v1/operations'])
  accept(): Record<string, never> {
    return {};
  }
}

@Module({ controllers: [EmptyController] })
class EmptyModule {}

async function main(): Promise<void> {
  const app = await NestFactory.create<NestFastifyApplication>(EmptyModule, new FastifyAdapter(), { logger: false });
  await app.listen(0, '127.0.0.1');
  const { port } = app.getHttpServer().address() as AddressInfo;
  console.log(`http://127.0.0.1:${port}`);
  process.on('SIGTERM', () => void app.close().then(() => process.exit(0)));
}

void main();
