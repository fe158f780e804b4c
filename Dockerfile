# One image for web, worker and beat; docker-compose.yml says which of them a container is.
FROM python:3.12-slim

ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1
WORKDIR /app

COPY requirements.txt .
RUN pip install --no-cache-dir --require-hashes -r requirements.txt

COPY . .
RUN useradd --create-home --uid 1000 reactsql \
    && mkdir -p /data/databases \
    && chown -R reactsql /data
USER reactsql

ENV HOST=0.0.0.0 PORT=8000 DATA_DIR=/data DATABASES_DIR=/data/databases
VOLUME /data
EXPOSE 8000
CMD ["python", "-m", "uvicorn", "reactsql_web.asgi:application", "--host", "0.0.0.0", "--port", "8000", "--timeout-graceful-shutdown", "10"]
